//! The written forms of concepts, over all sites (Syn of the ontology), and the one by which a concept is shown.
//!
//! Menus write labels in small letters or in capitals as their designs want, so upper and lower case are taken from running text
//! where it is known ([`shown`]). This changes how a concept is shown, never its key.
//!
//! One walk over the sites counts the forms of all kept labels ([`FormCounts::of`]). To look up each label on each of its sites
//! takes several times as long.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::mining::concepts::Judged;
use crate::mining::index::Index;
use crate::mining::summary::{LabelSummary, SiteSummary};
use crate::mining::taxonomy::Form;

/// Form → number of sites and pages that write it.
type Counts<'a> = FxHashMap<&'a str, (u64, u64)>;

/// The most letters of an abbreviation in capitals that is shown as such, though no running text has it.
const SHORT: usize = 4;
/// The fewest articles that show how running text spells a label.
const LEAST_ARTICLES: u32 = 2;

/// How often each form of the kept labels is written.
pub(super) struct FormCounts<'a> {
    sites: &'a [Arc<SiteSummary>],
    /// By label key.
    kept: BTreeMap<&'a str, Counts<'a>>,
}

impl<'a> FormCounts<'a> {
    /// `index` is the index of the sites.
    pub(super) fn of(
        kept: &BTreeMap<&'a str, &Judged>,
        sites: &'a [Arc<SiteSummary>],
        index: &Index,
    ) -> FormCounts<'a> {
        let mut number = index.names.table(usize::MAX);
        for (at, id) in kept.keys().enumerate().filter_map(|(at, key)| Some((at, index.names.get(key)?))) {
            number[id as usize] = at;
        }
        let mut counts: Vec<Counts> = vec![Counts::default(); kept.len()];
        for (site, numbers) in sites.iter().zip(&index.sites) {
            for (indexed, label) in
                numbers.labels.iter().zip(site.labels.values()).filter(|(indexed, _)| indexed.is_shown)
            {
                let at = number.get(indexed.id as usize).copied().unwrap_or(usize::MAX);
                if let Some(counts) = counts.get_mut(at) {
                    count_forms(counts, label);
                }
            }
        }
        FormCounts { sites, kept: kept.keys().copied().zip(counts).collect() }
    }

    /// A concept's forms: those of its own key first, then by sites, pages, alphabet.
    pub(super) fn forms(&self, own: &str, labels: &[(&str, &Judged)]) -> Vec<Form> {
        let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        let mut owned: BTreeSet<&str> = BTreeSet::new();
        for (key, label) in labels {
            let alone;
            let counts = match self.kept.get(key) {
                Some(counts) => counts,
                None => {
                    alone = self.single_site_forms(key, &label.sites);
                    &alone
                }
            };
            for (form, (sites, pages)) in counts {
                let (on, total) = found.entry(form).or_default();
                *on += sites;
                *total += pages;
                if *key == own {
                    owned.insert(form);
                }
            }
        }
        let made = found.into_iter().map(|(text, (sites, pages))| Form { text: text.into(), sites, pages });
        let mut forms: Vec<Form> = made.collect();
        let is_owned = |form: &Form| owned.contains(form.text.as_str());
        forms.sort_by(|a, b| {
            (is_owned(b), b.sites, b.pages, &a.text).cmp(&(is_owned(a), a.sites, a.pages, &b.text))
        });
        forms
    }

    /// The forms of a label that single sites vouch for.
    fn single_site_forms(&self, key: &str, sites: &[usize]) -> Counts<'a> {
        let mut counts = Counts::default();
        for label in sites.iter().filter_map(|at| self.sites.get(*at)?.labels.get(key)) {
            count_forms(&mut counts, label);
        }
        counts
    }
}

fn count_forms<'a>(counts: &mut Counts<'a>, label: &'a LabelSummary) {
    let mut written: BTreeMap<&str, u64> = BTreeMap::new();
    for (form, pages) in &label.forms {
        // A page has one form of a label, so these are different pages.
        *written.entry(bare(form)).or_default() += pages;
    }
    for (form, pages) in written {
        let (sites, total) = counts.entry(form).or_default();
        *sites += 1;
        *total += pages;
    }
}

/// A written form without what only separates it from others: "| Fashion", "Mar »", "// Robert Mueller", "[France]".
pub(super) fn bare(form: &str) -> &str {
    let separates = |letter: char| !letter.is_alphanumeric() && !"(\"“„«‘'¿¡#$€£@".contains(letter);
    let follows = |letter: char| "|»›:>;,·•–—-→]# ".contains(letter);
    let mut trimmed = form.trim_start_matches(separates).trim_end_matches(follows);
    if let Some(inner) = trimmed.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        trimmed = if inner.contains(['(', ')']) { trimmed } else { inner };
    }
    // A dot at the end belongs to "U.S." and to "Inc.".
    if let Some(whole) = trimmed.strip_suffix('.')
        && !whole.contains('.')
        && whole.chars().count() > SHORT
    {
        trimmed = whole;
    }
    if trimmed.chars().any(char::is_alphanumeric) { trimmed } else { form }
}

/// How letters of a form are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// No capital.
    Lower,
    /// Capitals alone, at least two.
    Upper,
    /// Otherwise.
    Mixed,
}

impl Case {
    fn of(text: &str) -> Case {
        let capitals = text.chars().filter(|letter| letter.is_uppercase()).count();
        match (capitals, text.chars().any(char::is_lowercase)) {
            (0, _) => Case::Lower,
            (2.., false) => Case::Upper,
            _ => Case::Mixed,
        }
    }
}

/// By which form a concept with these forms is shown; `texts` are the spellings of running text, with their numbers of articles.
/// `None` without forms.
///
/// It is the first form, with its letters
/// 1. as running text has them, if that has capitals more often than not, because the label is a name or an abbreviation;
/// 2. else all capital, if the label is short, most sites write it so, and no text says otherwise;
/// 3. else as most sites have them that use small and capital letters;
/// 4. else small after a capital.
pub(super) fn shown(forms: &[Form], texts: &BTreeMap<&str, u32>) -> Option<String> {
    // Forms that only schemes have come with their signs.
    let plain = bare(&forms.first()?.text).to_lowercase();
    let own: Vec<&Form> = forms.iter().filter(|form| bare(&form.text).to_lowercase() == plain).collect();
    // `max_by_key` takes the last of equally frequent forms. They are sorted, and capitals sort first.
    let written = |case: Case| {
        let of_case = own.iter().filter(|form| Case::of(&form.text) == case);
        of_case.max_by_key(|form| (form.sites, form.pages))
    };
    // Texts have words without the signs around them.
    let core = plain.trim_matches(|letter: char| !letter.is_alphanumeric());
    let texts: BTreeMap<String, u32> = texts
        .iter()
        .filter(|(text, _)| text.to_lowercase() == core)
        .map(|(text, articles)| (plain.replacen(core, text, 1), *articles))
        .collect();
    let is_short = plain.chars().count() <= SHORT;

    let small: u32 = texts.iter().filter(|(text, _)| Case::of(text) == Case::Lower).map(|(_, n)| *n).sum();
    let capital = texts.iter().filter(|(text, _)| Case::of(text) != Case::Lower);
    let capital = capital.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    if let Some((text, articles)) = capital.filter(|(_, articles)| **articles >= LEAST_ARTICLES) {
        // The pronouns of "US" and "IT" are more frequent.
        let is_abbreviation = is_short && Case::of(text) == Case::Upper && written(Case::Upper).is_some();
        if *articles > small || is_abbreviation {
            return Some(with_capital(text));
        }
    }
    let is_denied = texts.keys().any(|text| Case::of(text) != Case::Upper);
    if let Some(upper) = written(Case::Upper).filter(|_| is_short && !is_denied)
        && 2 * upper.sites >= own.iter().map(|form| form.sites).sum()
    {
        return Some(bare(&upper.text).to_owned());
    }
    Some(written(Case::Mixed).map_or_else(|| with_capital(&plain), |form| bare(&form.text).to_owned()))
}

/// With a capital at the beginning, unless the first word has one elsewhere: "iPhone".
fn with_capital(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) if !first.contains(char::is_uppercase) => letter.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(forms: &[(&str, u64)], texts: &[(&str, u32)], wanted: &str) {
        let forms: Vec<Form> = forms
            .iter()
            .map(|(text, sites)| Form { text: (*text).into(), sites: *sites, pages: 1 })
            .collect();
        assert_eq!(shown(&forms, &texts.iter().copied().collect()).as_deref(), Some(wanted), "{texts:?}");
    }

    #[test]
    fn a_name_is_written_as_running_text_writes_it() {
        check(&[("nepal", 1)], &[("Nepal", 3), ("nepal", 1)], "Nepal");
        check(&[("hong kong", 2), ("HONG KONG", 1)], &[("Hong Kong", 3)], "Hong Kong");
        check(&[("UNITED NATIONS", 1)], &[("United Nations", 9)], "United Nations");
        check(&[("Iphone", 4)], &[("iPhone", 9)], "iPhone");
        check(&[("the americas", 4)], &[("the Americas", 2)], "The Americas");
    }

    #[test]
    fn capitals_alone_are_for_abbreviations() {
        check(&[("nba", 3)], &[("NBA", 9)], "NBA");
        check(&[("US", 3)], &[("us", 90), ("US", 9)], "US");
        check(&[("LOVE", 1)], &[("love", 9)], "Love");
        check(&[("SOFTWARE", 1)], &[], "Software");
        check(&[("NYSE", 2), ("Nyse", 1)], &[], "NYSE");
        check(&[("NYSE", 1)], &[("NYSE", 1)], "NYSE");
        check(&[("LGBTQ+", 2)], &[("LGBTQ", 9)], "LGBTQ+");
        check(&[("LIFE", 1), ("Life", 3)], &[], "Life");
    }

    #[test]
    fn a_common_noun_begins_with_a_capital_as_sites_write_it() {
        check(&[("games", 3), ("Games", 1)], &[("games", 40), ("Games", 8)], "Games");
        check(&[("climate change", 3), ("Climate Change", 1)], &[("climate change", 9)], "Climate Change");
        check(
            &[("FORMAZIONE", 2), ("FormAzione", 1), ("Formazione", 1)],
            &[("formazione", 12)],
            "Formazione",
        );
        check(&[("jeux vidéo", 1)], &[], "Jeux vidéo");
        check(&[("اخبار", 1)], &[("اخبار", 4)], "اخبار");
        assert_eq!(shown(&[], &BTreeMap::new()), None);
    }

    #[test]
    fn a_label_is_shown_without_what_only_separates_it() {
        for (form, shown) in [
            ("| Fashion", "Fashion"),
            ("Mar »", "Mar"),
            ("// Robert Mueller", "Robert Mueller"),
            ("LGBTQ+", "LGBTQ+"),
            ("U.S.", "U.S."),
            ("Policy.", "Policy"),
            ("Inc.", "Inc."),
            ("[France]", "France"),
            ("(Japan)", "Japan"),
            ("Artificial Intelligence (AI)", "Artificial Intelligence (AI)"),
            ("¿Qué?", "¿Qué?"),
            ("«»", "«»"),
        ] {
            assert_eq!(bare(form), shown);
        }
    }
}
