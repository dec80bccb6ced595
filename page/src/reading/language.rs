//! A page's language, and what is known about languages: their common words ([`common`]), scripts ([`script`]), stems and
//! stop words ([`words`]).
//!
//! Languages are primary subtags of BCP 47: ISO 639-1 codes, 639-3 where there is none. The text tells its language. What
//! the page declares is evidence, which decides where the text is short or two languages are close. Unknown languages are
//! no error: their words are left as they are.

use crate::reading::{Leaves, PageTree};

mod common;
mod declared;
mod sample;
mod script;
mod words;

use common::{Candidate, CommonWordCount};
use declared::{language_around, languages_of_head, primary_language};
use sample::Sample;
use script::{Script, ScriptShares};

pub(crate) use words::LanguageWords;

/// A text with fewer letters tells nothing.
const LEAST_LETTERS: usize = 6;
/// Common words of a language that a text must have, counted with and without repetitions, to be in it.
const LEAST_WORDS: usize = 4;
const LEAST_DISTINCT: usize = 4;
/// The least share of words that are common in the text's language: usually; against a declared language of another script,
/// whose text may be transcribed; and against one that the table does not know, whose cousin it may know.
const LEAST_SHARE: f32 = 0.08;
const LEAST_AGAINST_OTHER_SCRIPT: f32 = 0.15;
const LEAST_AGAINST_UNKNOWN: f32 = 0.2;
/// A cousin repeats a few words; a language has many.
const LEAST_DISTINCT_AGAINST_UNKNOWN: usize = 12;
/// Against a declared language, words that only the text's language has must be this many times those that only the declared
/// one has, and more than those by this many standard deviations of chance.
const LEAST_RATIO: f32 = 3.0;
const LEAST_DEVIATIONS: f32 = 2.5;
/// So many words do if the trigrams of the text tell the same language.
const LEAST_WITH_TRIGRAMS: usize = 3;

/// The language of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PageLanguage {
    /// The language of the text.
    pub(crate) language: Option<String>,
    /// The language that the page declares for its text.
    pub(crate) declared: Option<String>,
    /// Where `language` comes from, and how far to trust it.
    pub(crate) witness: &'static str,
    pub(crate) confidence: f32,
}

/// Finds the language of a page's text, and the one that it declares.
pub(crate) fn page_language(tree: &PageTree, leaves: &Leaves) -> PageLanguage {
    let sample = Sample::new(leaves);
    let declared = declared_languages(tree, &sample);
    let (found, witness, confidence) = match language_of_text(&sample.text(), &declared) {
        Some((found, confidence)) => (Some(found), "text", confidence),
        None => (declared.first().cloned(), "declared", 0.7),
    };
    PageLanguage { language: found, declared: declared.into_iter().next(), witness, confidence }
}

/// The languages that are declared for most of a sample, and then for the page.
fn declared_languages(tree: &PageTree, sample: &Sample<'_>) -> Vec<String> {
    let mut around: Vec<(String, usize)> = Vec::new();
    for (node, chunk) in &sample.chunks {
        let Some(language) = language_around(tree, *node) else { continue };
        match around.iter_mut().find(|(known, _)| *known == language) {
            Some((_, bytes)) => *bytes += chunk.len(),
            None => around.push((language, chunk.len())),
        }
    }
    let most = around.into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
    let mut declared: Vec<String> = most.map(|(language, _)| language).into_iter().collect();
    for language in languages_of_head(tree) {
        if !declared.contains(&language) {
            declared.push(language);
        }
    }
    declared
}

/// The language that a text tells, weighed against the declared ones, and how far to trust it.
fn language_of_text(text: &str, declared: &[String]) -> Option<(String, f32)> {
    let shares = ScriptShares::of(text);
    let script = shares.main().filter(|_| shares.letters() >= LEAST_LETTERS)?;
    if let Some(usual) = script.languages().first() {
        let declared = declared.iter().find(|code| script.languages().contains(&code.as_str()));
        return Some((declared.cloned().unwrap_or_else(|| (*usual).to_owned()), 0.98));
    }
    let count = CommonWordCount::of(text, script);
    let best = count.best()?;
    let found = |confidence: f32| Some((best.code.to_owned(), confidence));
    let is_told = |least_share: f32, least_distinct: usize| {
        best.words >= LEAST_WORDS && best.distinct >= least_distinct && best.share >= least_share
    };
    let in_script = declared.iter().filter_map(|code| Some((code, count.language(code)?)));
    let rival = in_script.reduce(|rival, next| if next.1.words > rival.1.words { next } else { rival });
    if let Some((code, rival)) = rival {
        let (only_best, only_rival) = count.apart(best, rival);
        if is_clear(only_best, only_rival) && is_told(LEAST_SHARE, LEAST_DISTINCT) {
            return found(0.95);
        }
        let is_likely =
            only_best >= LEAST_WITH_TRIGRAMS && only_best as f32 >= only_rival as f32 * LEAST_RATIO;
        if is_likely && trigrams_tell(text, best) {
            return found(0.85);
        }
        let is_confirmed = rival.words >= LEAST_WORDS && rival.share >= LEAST_SHARE;
        return is_confirmed.then(|| (code.clone(), 0.98));
    }
    match declared.first() {
        None if is_told(LEAST_SHARE, LEAST_DISTINCT) => found(0.9),
        None => trigrams_tell(text, best).then(|| found(0.7))?,
        Some(code) if !common::is_known(code) && !script::is_written_otherwise(code) => {
            is_told(LEAST_AGAINST_UNKNOWN, LEAST_DISTINCT_AGAINST_UNKNOWN).then(|| found(0.8))?
        }
        // Many languages are also written in Latin letters, but only few Latin ones in others.
        Some(_) if script == Script::Latin => {
            is_told(LEAST_AGAINST_OTHER_SCRIPT, LEAST_DISTINCT).then(|| found(0.9))?
        }
        Some(_) => (best.distinct > 1 || trigrams_tell(text, best)).then(|| found(0.9))?,
    }
}

/// Whether counts of words that only one of two languages has leave no doubt that the text is in the first.
fn is_clear(first: usize, second: usize) -> bool {
    let (first, second) = (first as f32, second as f32);
    first > second
        && first >= second * LEAST_RATIO
        && first - second >= LEAST_DEVIATIONS * (first + second).sqrt()
}

/// Whether the trigrams of a text tell a language, too. They know fewer languages and take one for its cousin, so they only
/// support the words.
fn trigrams_tell(text: &str, language: Candidate) -> bool {
    let guess = whatlang::detect(text).filter(whatlang::Info::is_reliable);
    let code = guess.and_then(|guess| primary_language(guess.lang().code()));
    language.words > 1 && code.is_some_and(|code| language.is_called(&code))
}

/// Whether a character belongs to a script that is written without spaces between words.
#[must_use]
pub fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0E00}'..='\u{0EFF}'      // Thai, Lao
        | '\u{1000}'..='\u{109F}'    // Burmese
        | '\u{1780}'..='\u{17FF}'    // Khmer
        | '\u{3040}'..='\u{30FF}'    // Hiragana, Katakana
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'    // Han
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}'
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::page;

    const GERMAN: &str = "<p>Der Stadtrat hat am Dienstag beschlossen, die alte Brücke für ein weiteres Jahr offen zu halten, nachdem \
        Hunderte darum gebeten hatten. <p>Die Reparatur wird nach Angaben des Bauamts drei Millionen kosten, und sie soll im \
        Frühjahr beginnen, wenn das Wasser nicht mehr so hoch ist.";
    const BASQUE: &str = "<p>Udalak zubi zaharra beste urtebetez irekita edukitzea erabaki du, ehunka herritarrek hala eskatu eta \
        gero. <p>Konponketak hiru milioi euro balio izango ditu, eta udaberrian hasiko da, ura hain altua ez dagoenean. \
        <p>Alkateak esan zuen zubia ez dela arriskutsua, baina behar diren lanak egingo dituztela, eta gero beste bat egin \
        behar den erabakiko dute.";
    const SLOVAK: &str = "<p>Mesto ponechá starý most otvorený ešte jeden rok, pretože o to požiadali stovky ľudí, ktorí ho \
        používajú. <p>Oprava bude stáť tri milióny eur a začne sa na jar, keď už voda nie je taká vysoká, ale most by mal byť \
        podľa úradu otvorený aj počas prác. <p>Podľa mesta sa most zatvorí len vtedy, keď sa to už nedá inak, alebo ak pri \
        kontrole nájdu ďalšie trhliny. <p>Ľudia si myslia, že je to dobre, lebo aj autobus po ňom jazdí a pre školákov sú iné \
        cesty tiež ďaleko.";

    #[track_caller]
    fn check(html: &str, language: Option<&str>, declared: Option<&str>) {
        let page = page(html);
        let found = (page.language.as_deref(), page.declared_language.as_deref());
        assert_eq!(found, (language, declared), "{html}");
    }

    #[test]
    fn the_text_tells_its_language_whatever_is_declared() {
        check(GERMAN, Some("de"), None);
        for declared in ["en", "fr", "nl", "ja", "eu", "jp"] {
            let normalised = if declared == "jp" { "ja" } else { declared };
            check(&format!("<html lang={declared}>{GERMAN}"), Some("de"), Some(normalised));
        }
        check(&format!("<html lang=de-AT>{GERMAN}"), Some("de"), Some("de"));
        check(&format!("<html lang=en>{BASQUE}"), Some("eu"), Some("en"));
        check(&format!("<html lang=cs>{SLOVAK}"), Some("sk"), Some("cs"));
        check(
            "<p>Правительство России обсудило сегодня проект бюджета на будущий год и отложило решение.\
             <p>По словам министра, этот вопрос будет рассматриваться ещё раз после выборов, которые пройдут \
             осенью, когда станут известны новые показатели экономики.",
            Some("ru"),
            None,
        );
    }

    #[test]
    fn scripts_tell_what_they_are_used_for() {
        check(
            "<html lang=en><p>市議会は火曜日、古い橋をもう一年開けておくことを決めた。",
            Some("ja"),
            Some("en"),
        );
        check(
            "<html lang=en><p>市议会周二决定将旧桥再开放一年，此前数百人提出了请求。",
            Some("zh"),
            Some("en"),
        );
        check(
            "<html lang=zh-yue><p>市议会周二决定将旧桥再开放一年，此前数百人提出了请求。",
            Some("zh"),
            Some("zh"),
        );
        check(
            "<html lang=yue><p>市议会周二决定将旧桥再开放一年，此前数百人提出了请求。",
            Some("yue"),
            Some("yue"),
        );
        check("<p>시의회는 화요일 낡은 다리를 일 년 더 열어 두기로 했다.", Some("ko"), None);
        check(
            "<html lang=en><p>Το δημοτικό συμβούλιο αποφάσισε να κρατήσει τη γέφυρα ανοιχτή.",
            Some("el"),
            Some("en"),
        );
    }

    #[test]
    fn a_declaration_stands_where_the_text_is_short_or_the_language_unknown() {
        check("<html lang=pt_BR><p>Home<p>Sport<p>Bridge", Some("pt"), Some("pt"));
        check("<html lang=''><meta property=og:locale content=es_ES>", Some("es"), Some("es"));
        check("<meta http-equiv=Content-Language content='fr, en'>", Some("fr"), Some("fr"));
        check("<p>ok", None, None);
        check("<html lang=utf-8><p>ok", None, None);
        // A cousin of known languages that has no line of its own.
        let papiamento = "<p>E ministro a bishita e scol pa mira con e studiantenan ta siña, y despues el a papia cu e maestronan di \
            e scol riba e problemanan cu nan tin. <p>E minister a bisa cu e gobierno lo yuda e scol pa drecha e edificio.";
        check(&format!("<html lang=pap>{papiamento}"), Some("pap"), Some("pap"));
    }

    #[test]
    fn the_element_around_the_prose_declares_its_language() {
        // Bokmål and Danish have most of their common words in common.
        let text = "<p>Rådmannen var enig. <p>Broen er stengt.";
        check(&format!("<html lang=en><body><article lang=nb>{text}</article>"), Some("nb"), Some("nb"));
        check(&format!("<html lang=no>{text}"), Some("no"), Some("no"));
        let long = "<p>Rådmannen sier at broen blir stengt i et år, og at det ikke er noen annen vei for de som skal til byen. ";
        for declared in ["no", "nb"] {
            let html = format!("<html lang={declared}>{}", long.repeat(4));
            check(&html, Some(declared), Some(declared));
        }
    }

    #[test]
    fn quotations_and_consent_layers_do_not_make_the_language() {
        let layer = "We use cookies and similar technologies to help personalise content and to offer a better experience. ".repeat(6);
        let german = GERMAN.repeat(3);
        check(&format!("<div><p>{layer}</div>{german}"), Some("de"), None);
        check(&format!("<html lang=de>{german}<blockquote><p>{layer}</blockquote>"), Some("de"), Some("de"));
    }

    #[test]
    fn decomposed_letters_are_letters() {
        let text = "<p>Hội đồng thành phố đã quyết định giữ cây cầu cũ mở cửa thêm một năm nữa, sau khi hàng trăm người yêu cầu và \
            các kỹ sư cho biết là việc sửa chữa sẽ không được bắt đầu trước mùa xuân.";
        let decomposed: String = unicode_normalization::UnicodeNormalization::nfd(text).collect();
        check(&format!("<html lang=en>{decomposed}"), Some("vi"), Some("en"));
    }
}
