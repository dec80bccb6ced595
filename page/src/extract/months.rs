//! The names of the months in the languages of pages, in full and abbreviated.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// One line per month: its names and abbreviations in all languages, in lower case.
const NAMES: [&str; 12] = [
    "january januar jänner jan janvier enero ene gennaio gen januari janeiro styczeń stycznia sty ocak oca января январь янв січня ledna leden január januára tammikuuta ianuarie ιανουαρίου ינואר يناير جانفي ژانویه جنوری มกราคม ม.ค जनवरी জানুয়ারি জানুয়ারী ஜனவரி януари јануар јануари siječnja januarja sausio janvāris janvārī jaanuar gener xaneiro urtarrila იანვარი հունվարի ιανουάριος ιαν janar yanvar janúar",
    "february februar feb février fév fevrier févr febrero febbraio februari fevereiro fev luty lutego lut şubat şub февраля февраль фев лютого února únor február helmikuuta februarie φεβρουαρίου feber פברואר فبراير فيفري شباط فوریه فروری กุมภาพันธ์ ก.พ फरवरी फ़रवरी ফেব্রুয়ারি ফেব্রুয়ারী பிப்ரவரி фебруар февруари veljače februarja vasario februāris februārī veebruar febrer febreiro otsaila თებერვალი փետրվարի φεβρουάριος φεβ shkurt fevral pebrero febrúar",
    "march märz mär maerz mrz mar mars marzo maart mrt março marco marzec marca mart марта март мар березня března březen március maaliskuuta martie μαρτίου מרץ מרס مارس آذار مارچ มีนาคม มี.ค मार्च মার্চ மார்ச் ožujka kovo marts martā märts març martxoa მარტი մարտի μάρτιος μαρ machi maret mac marso",
    "april apr avril avr abril abr aprile kwiecień kwietnia kwi nisan nis апреля апрель апр квітня dubna duben április huhtikuuta aprilie απριλίου אפריל أبريل ابريل أفريل نيسان آوریل اپریل เมษายน เม.ย अप्रैल এপ্রিল ஏப்ரல் април travnja aprila balandžio aprīlis aprīlī aprill apirila აპრილი ապրիլի απρίλιος απρ prill aprel aprili",
    "may mai mayo maggio mag mei maio maj maja mayıs мая май травня května květen május toukokuuta μαΐου maí מאי مايو ماي أيار مئی พฤษภาคม พ.ค मई মে மே мај svibnja gegužės maijs maijā maiatza მაისი մայիսի μάιος μαΐ",
    "june juni jun juin junio giugno giu junho czerwiec czerwca cze haziran haz июня июнь июн червня června červen június kesäkuuta iunie ιουνίου júní יוני يونيو جوان حزيران ژوئن جون มิถุนายน มิ.ย जून জুন ஜூன் юни јун јуни lipnja junija birželio jūnijs jūnijā juuni xuño juny ekaina ივნისი հունիսի ιούνιος ιουν qershor iyun hunyo",
    "july juli jul juillet juil julio luglio lug julho lipiec lipca lip temmuz tem июля июль июл липня července červenec július heinäkuuta iulie ιουλίου júlí יולי يوليو جويلية تموز ژوئیه جولای جولائی กรกฎาคม ก.ค जुलाई জুলাই ஜூலை юли јул јули srpnja julija liepos jūlijs jūlijā juuli juliol xullo uztaila ივლისი հուլիսի ιούλιος ιουλ korrik iyul hulyo julai",
    "august aug août aout agosto ago augustus sierpień sierpnia sie ağustos ağu августа август авг серпня srpna srpen augusztus elokuuta αυγούστου ágúst augusti אוגוסט أغسطس اغسطس أوت آب اوت آگوست اگست สิงหาคม ส.ค अगस्त আগস্ট আগষ্ট ஆகஸ்ட் kolovoza avgusta rugpjūčio augusts augustā agost abuztua აგვისტო օգոստոսի αύγουστος αυγ gusht avqust agustus ogos агуст",
    "september sep sept septembre septiembre settembre set setembro wrzesień września wrz eylül eyl сентября сентябрь сен вересня září szeptember syyskuuta septembrie σεπτεμβρίου ספטמבר سبتمبر أيلول سپتامبر ستمبر กันยายน ก.ย सितंबर सितम्बर সেপ্টেম্বর செப்டம்பர் септември септембар rujna septembra rugsėjo septembris septembrī setembre iraila სექტემბერი սեպտեմբերի σεπτέμβριος σεπ shtator sentyabr setyembre septembar",
    "october oktober okt oct octobre octubre ottobre ott outubro out październik października paź ekim eki октября октябрь окт жовтня října říjen október lokakuuta octombrie οκτωβρίου אוקטובר أكتوبر اكتوبر اکتبر اکتوبر ตุลาคม ต.ค अक्टूबर अक्तूबर অক্টোবর அக்டோபர் октомври октобар oktobra spalio oktobris oktobrī oktoober urria ოქტომბერი հոկտեմբերի οκτώβριος οκτ tetor oktyabr oktubre oktobar",
    "november nov novembre noviembre novembro listopad listopada lis kasım kas ноября ноябрь ноя листопада listopadu marraskuuta noiembrie νοεμβρίου nóvember נובמבר نوفمبر نوامبر نومبر พฤศจิกายน พ.ย नवंबर नवम्बर নভেম্বর நவம்பர் ноември новембар studenoga studenog novembra lapkričio novembris novembrī azaroa ნოემბერი նոյեմբերի νοέμβριος νοε nëntor noyabr nobyembre novembar",
    "december dezember dez dec décembre decembre déc diciembre dic dicembre dezembro grudzień grudnia gru aralık ara декабря декабрь дек грудня prosince prosinec joulukuuta decembrie δεκεμβρίου desember des דצמבר ديسمبر دسامبر دسمبر ธันวาคม ธ.ค दिसंबर दिसम्बर ডিসেম্বর டிசம்பர் декември децембар prosinca decembra gruodžio decembris decembrī detsember desembre abendua დეკემბერი դեկտեմբերի δεκέμβριος δεκ dhjetor dekabr disyembre disember decembar",
];

/// The month with this name, 1 to 12.
pub(super) fn month_number(word: &str) -> Option<i8> {
    let word = word.trim_end_matches(['.', ',', '،']).to_lowercase();
    // Latin words of fewer than three letters and words with digits are no names.
    if (word.is_ascii() && word.len() < 3) || word.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let month_of = |word: &str| MONTHS_BY_NAME.get(word).copied();
    // Catalan elides "de", Hebrew writes "in" as a letter before the name.
    month_of(&word).or_else(|| PREFIXES.iter().find_map(|prefix| month_of(word.strip_prefix(prefix)?)))
}

/// Letters that some languages join to names of months.
const PREFIXES: [&str; 3] = ["d'", "d’", "ב"];

/// A name of two months is the first one's.
static MONTHS_BY_NAME: LazyLock<FxHashMap<&'static str, i8>> = LazyLock::new(|| {
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
        for (word, expected) in [
            ("März", 3),
            ("août", 8),
            ("Sept.", 9),
            ("DIC", 12),
            ("stycznia", 1),
            ("мая", 5),
            ("באוגוסט", 8),
            ("آب", 8),
            ("d’abril", 4),
            ("ธ.ค.", 12),
            ("মে", 5),
            ("يونيو", 6),
            ("листопада", 11),
            ("rujna", 9),
        ] {
            assert_eq!(month_number(word), Some(expected), "{word}");
        }
        assert_eq!((month_number("mayor"), month_number("12"), month_number("de")), (None, None, None));
    }
}
