//! Makes the words of stories: headlines, paragraphs, teasers and captions.
//!
//! A story has a [`Cast`]: two people with their roles, a body they speak for, two towns and four terms of its concept.
//! Templates refer to the cast by slots in braces, so that a story keeps to the same people and things from headline
//! to end: `{p1}` `{p2}` full names, `{s1}` `{s2}` family names, `{r1}` `{r2}` roles, `{body}`, `{city}` `{city2}`,
//! `{t1}`..`{t4}` terms. Other slots are drawn anew at each use: `{n}` a number, `{pct}` a share, `{money}`, `{day}`,
//! `{month}`. A slot with a capital initial capitalises its value.

use crate::language::Language;
use crate::rng::Rng;
use crate::taxonomy::{beat, concepts};

/// Who and what a story is about.
#[derive(Debug, Clone)]
pub(crate) struct Cast {
    language: Language,
    concept: usize,
    people: [(&'static str, &'static str); 2],
    roles: [&'static str; 2],
    body: &'static str,
    cities: [&'static str; 2],
    terms: [&'static str; 4],
}

impl Cast {
    /// Draws a cast for a story on `concept`.
    #[must_use]
    pub(crate) fn new(language: Language, concept: usize, rng: &mut Rng) -> Self {
        let pack = language.pack();
        let special = beat(language, concept).filter(|_| rng.chance(75));
        let (roles, bodies) = special.map_or((pack.roles, pack.bodies), |b| (b.roles, b.bodies));
        let mut two = |list: &[&'static str]| {
            let at = rng.sample(list.len(), 2);
            [list[at[0]], list[at[1]]]
        };
        let (first, last) = (two(pack.first_names), two(pack.last_names));
        let (roles, cities) = (two(roles), two(pack.cities));
        let body = *rng.pick(bodies);
        let all = &concepts(language)[concept].terms;
        let at = rng.sample(all.len(), 4);
        Self {
            language,
            concept,
            people: [(first[0], last[0]), (first[1], last[1])],
            roles,
            body,
            cities,
            terms: [all[at[0]], all[at[1]], all[at[2]], all[at[3]]],
        }
    }

    /// Where it happens.
    #[must_use]
    pub(crate) const fn city(&self) -> &'static str {
        self.cities[0]
    }

    /// A headline.
    pub(crate) fn headline(&self, rng: &mut Rng) -> String {
        let pack = self.language.pack();
        let template = match beat(self.language, self.concept) {
            Some(beat) if rng.chance(45) => rng.pick(beat.headlines),
            _ => rng.pick(pack.headlines),
        };
        capitalised(&self.fill(template, rng))
    }

    /// `n` paragraphs of one to four sentences; no template is used twice before all were used once.
    pub(crate) fn paragraphs(&self, n: usize, rng: &mut Rng) -> Vec<String> {
        let mut templates: Vec<&str> = self.language.pack().sentences.to_vec();
        if let Some(beat) = beat(self.language, self.concept) {
            templates.extend(beat.sentences);
        }
        rng.shuffle(&mut templates);
        let mut next = templates.iter().cycle();
        (0..n)
            .map(|_| {
                let sentences = rng.between(1, 4);
                let mut made = Vec::with_capacity(sentences);
                for template in next.by_ref().take(sentences) {
                    made.push(capitalised(&self.fill(template, rng)));
                }
                made.join(self.language.space())
            })
            .collect()
    }

    /// One sentence, for a teaser or a description.
    pub(crate) fn sentence(&self, rng: &mut Rng) -> String {
        let template = *rng.pick(self.language.pack().sentences);
        capitalised(&self.fill(template, rng))
    }

    /// Fills the slots of `template`; an unknown slot stays as it is.
    pub(crate) fn fill(&self, template: &str, rng: &mut Rng) -> String {
        let mut out = String::with_capacity(template.len() * 2);
        let mut rest = template;
        while let Some((before, slot, after)) = next_slot(rest) {
            out.push_str(before);
            let lower = slot.to_lowercase();
            match self.value(&lower, rng) {
                Some(value) if lower == slot => out.push_str(&value),
                Some(value) => out.push_str(&capitalised(&value)),
                None => {
                    out.push('{');
                    out.push_str(slot);
                    out.push('}');
                }
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn value(&self, slot: &str, rng: &mut Rng) -> Option<String> {
        let pack = self.language.pack();
        Some(match slot {
            "p1" => full_name(self.language, self.people[0]),
            "p2" => full_name(self.language, self.people[1]),
            "s1" => self.people[0].1.to_owned(),
            "s2" => self.people[1].1.to_owned(),
            "r1" => self.roles[0].to_owned(),
            "r2" => self.roles[1].to_owned(),
            "body" => self.body.to_owned(),
            "city" => self.cities[0].to_owned(),
            "city2" => self.cities[1].to_owned(),
            "t1" => self.terms[0].to_owned(),
            "t2" => self.terms[1].to_owned(),
            "t3" => self.terms[2].to_owned(),
            "t4" => self.terms[3].to_owned(),
            "n" => rng.between(3, 48).to_string(),
            "pct" => share(self.language, rng),
            "money" => money(self.language, rng),
            "day" => (*rng.pick(&pack.weekdays)).to_owned(),
            "month" => (*rng.pick(&pack.months)).to_owned(),
            _ => return None,
        })
    }
}

/// A person's name in the order of the language.
#[must_use]
pub(crate) fn full_name(language: Language, (first, last): (&str, &str)) -> String {
    match language {
        Language::Japanese | Language::Chinese => format!("{last}{first}"),
        _ => format!("{first} {last}"),
    }
}

/// `text` with its first letter in upper case.
#[must_use]
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Splits at the first `{slot}`: the text before, the slot's name, the text after.
#[must_use]
pub fn next_slot(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = template.split_once('{')?;
    let (slot, after) = rest.split_once('}')?;
    Some((before, slot, after))
}

fn share(language: Language, rng: &mut Rng) -> String {
    let n = rng.between(2, 64);
    match language {
        Language::English => format!("{n} per cent"),
        Language::German => format!("{n} Prozent"),
        Language::Spanish => format!("{n} por ciento"),
        Language::Russian => format!("{n} %"),
        Language::Japanese => format!("{n}％"),
        Language::French => format!("{n} %"),
        Language::Portuguese => format!("{n}%"),
        Language::Arabic => format!("{n} في المئة"),
        Language::Chinese => format!("{n}%"),
    }
}

fn money(language: Language, rng: &mut Rng) -> String {
    let n = rng.between(2, 900);
    match language {
        Language::English => format!("${n} million"),
        Language::German => format!("{n} Millionen Euro"),
        Language::Spanish => format!("{n} millones de euros"),
        Language::Russian => format!("{n} млн рублей"),
        Language::Japanese => format!("{n}億円"),
        Language::French => format!("{n} millions d’euros"),
        Language::Portuguese => format!("{n} milhões de reais"),
        Language::Arabic => format!("{n} مليون درهم"),
        Language::Chinese => format!("{n}亿元"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_of_every_language_is_filled() {
        for language in Language::ALL {
            let rng = Rng::new(5);
            for concept in 0..concepts(language).len() {
                let mut rng = rng.fork(concepts(language)[concept].slug);
                let cast = Cast::new(language, concept, &mut rng);
                let beat = beat(language, concept);
                let special = beat.iter().flat_map(|b| b.headlines.iter().chain(b.sentences));
                let pack = language.pack();
                for template in pack.headlines.iter().chain(pack.sentences).chain(special) {
                    let text = cast.fill(template, &mut rng);
                    assert!(!text.contains(['{', '}']), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_capital_slot_capitalises() {
        let cast = Cast::new(Language::English, 0, &mut Rng::new(1));
        let text = cast.fill("{T1}|{t1}|{x}", &mut Rng::new(1));
        let parts: Vec<_> = text.split('|').collect();
        assert_eq!(parts[0], capitalised(parts[1]));
        assert_eq!(parts[2], "{x}");
    }
}
