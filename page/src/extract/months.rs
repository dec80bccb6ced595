//! The names of the months in the languages of pages, in full and abbreviated.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// One line per month: its names and abbreviations in all languages, in lower case.
const NAMES: [&str; 12] = [
    "january januar jänner jan janvier enero ene gennaio gen januari janeiro styczeń stycznia sty ocak oca января январь янв січня ledna leden január januára tammikuuta ianuarie ιανουαρίου",
    "february februar feb février fév fevrier févr febrero febbraio februari fevereiro fev luty lutego lut şubat şub февраля февраль фев лютого února únor február helmikuuta februarie φεβρουαρίου feber",
    "march märz mär maerz mrz mar mars marzo maart mrt março marco marzec marca mart марта март мар березня března březen március maaliskuuta martie μαρτίου",
    "april apr avril avr abril abr aprile kwiecień kwietnia kwi nisan nis апреля апрель апр квітня dubna duben április huhtikuuta aprilie απριλίου",
    "may mai mayo maggio mag mei maio maj maja mayıs мая май травня května květen május toukokuuta μαΐου maí",
    "june juni jun juin junio giugno giu junho czerwiec czerwca cze haziran haz июня июнь июн червня června červen június kesäkuuta iunie ιουνίου júní",
    "july juli jul juillet juil julio luglio lug julho lipiec lipca lip temmuz tem июля июль июл липня července červenec július heinäkuuta iulie ιουλίου júlí",
    "august aug août aout agosto ago augustus sierpień sierpnia sie ağustos ağu августа август авг серпня srpna srpen augusztus elokuuta αυγούστου ágúst augusti",
    "september sep sept septembre septiembre settembre set setembro wrzesień września wrz eylül eyl сентября сентябрь сен вересня září szeptember syyskuuta septembrie σεπτεμβρίου",
    "october oktober okt oct octobre octubre ottobre ott outubro out październik października paź ekim eki октября октябрь окт жовтня října říjen október lokakuuta octombrie οκτωβρίου",
    "november nov novembre noviembre novembro listopad listopada lis kasım kas ноября ноябрь ноя листопада listopadu marraskuuta noiembrie νοεμβρίου nóvember",
    "december dezember dez dec décembre decembre déc diciembre dic dicembre dezembro grudzień grudnia gru aralık ara декабря декабрь дек грудня prosince prosinec joulukuuta decembrie δεκεμβρίου desember des",
];

/// The month with this name, 1 to 12.
pub(super) fn month(word: &str) -> Option<i8> {
    let word = word.trim_end_matches(['.', ',']).to_lowercase();
    // Words of fewer than three letters and words with digits are no names.
    if word.chars().count() < 3 || word.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    TABLE.get(word.as_str()).copied()
}

/// A name of two months is the first one's.
static TABLE: LazyLock<FxHashMap<&'static str, i8>> = LazyLock::new(|| {
    let mut table = FxHashMap::default();
    for (month, names) in (1..).zip(NAMES) {
        for name in names.split(' ') {
            table.entry(name).or_insert(month);
        }
    }
    table
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_of_many_languages() {
        for (word, expected) in
            [("März", 3), ("août", 8), ("Sept.", 9), ("DIC", 12), ("stycznia", 1), ("мая", 5)]
        {
            assert_eq!(month(word), Some(expected), "{word}");
        }
        assert_eq!((month("mayor"), month("12"), month("de")), (None, None, None));
    }
}
