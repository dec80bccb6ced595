//! Headlines and paragraphs, made anew at each request from the number of the article.
//!
//! The templates are those of the English press (`language/`, `taxonomy/`; `text.rs` says what the slots mean).
//! Family names and towns are put together from syllables, so that the thousands of articles of a large site differ
//! in their words as real ones do. Nothing is stored: a headline takes well under a microsecond.

use super::topic::Topic;
use newslode_demo_world::Language;
use newslode_demo_world::Rng;
use newslode_demo_world::text::next_slot;

const FIRST: [&str; 16] = [
    "Mar", "Bel", "Kor", "Tan", "Lin", "Ros", "Dev", "Hal", "Nor", "Vas", "Pet", "Gil", "Ost", "Ren", "Sul",
    "Wex",
];
const MIDDLE: [&str; 16] =
    ["a", "e", "i", "o", "en", "ar", "el", "in", "ov", "um", "ad", "is", "or", "an", "et", "ul"];
const FAMILY: [&str; 16] = [
    "sky", "berg", "man", "dez", "nova", "ley", "ner", "son", "ra", "wicz", "ko", "well", "ides", "mont",
    "quist", "shaw",
];
const TOWN: [&str; 16] = [
    "ton", "ford", "wick", "by", "bury", "mouth", "ham", "stead", "dale", "port", "field", "bridge", "gate",
    "haven", "cliff", "moor",
];

/// Sentences of a paragraph, at most.
const SENTENCES: usize = 4;

/// What an article's texts are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    /// The site's and the article's seed in one.
    pub seed: u64,
    /// The section's words.
    pub topic: &'a Topic,
}

/// A made-up name, in syllables.
type Name = [&'static str; 3];

/// People, towns and terms of a story.
struct Cast {
    people: [(&'static str, Name); 2],
    roles: [&'static str; 2],
    body: &'static str,
    towns: [Name; 2],
    terms: [&'static str; 4],
}

impl Source<'_> {
    /// The headline or, with another `take`, what an editor makes of it later.
    pub(super) fn headline(self, take: u64) -> String {
        let mut rng = self.rng(take);
        let mut out = String::with_capacity(80);
        self.cast().fill(&mut out, rng.pick::<&str>(&self.topic.headlines), &mut rng);
        out
    }

    /// What it says in one sentence.
    pub(super) fn summary(self) -> String {
        let mut rng = self.rng(1_000);
        let mut out = String::with_capacity(120);
        self.cast().fill(&mut out, rng.pick::<&str>(&self.topic.sentences), &mut rng);
        out
    }

    /// Who wrote it.
    pub(super) fn author(self) -> String {
        let mut rng = self.rng(2_000);
        person(&mut rng)
    }

    /// Number of paragraphs of the first version.
    pub(super) fn n_paragraphs(self) -> usize {
        self.rng(3_000).between(3, 6)
    }

    /// The paragraph at `place` after it was edited `edits` times.
    pub(super) fn paragraph(self, place: usize, edits: usize) -> String {
        let mut rng = self.rng(10_000 + (place as u64) * 1_000 + edits as u64);
        let cast = self.cast();
        let n = self.topic.sentences.len();
        // one order for the whole article, so that its paragraphs share no sentence; an edit moves on in it
        let order = self.rng(4_000).sample(n, n);
        let start = place * SENTENCES + edits * (SENTENCES + 1);
        let mut out = String::with_capacity(400);
        for nth in start..start + rng.between(3, SENTENCES) {
            if nth > start {
                out.push(' ');
            }
            cast.fill(&mut out, self.topic.sentences[order[nth % n]], &mut rng);
        }
        out
    }

    fn rng(self, take: u64) -> Rng {
        Rng::new(self.seed.wrapping_add((take + 1).wrapping_mul(0xd6e8_feb8_6659_fd93)))
    }

    fn cast(self) -> Cast {
        let pack = Language::English.pack();
        let mut rng = Rng::new(self.seed);
        let people = [(), ()].map(|()| (*rng.pick(pack.first_names), invented(&mut rng, &FAMILY)));
        let roles = [*rng.pick(self.topic.roles), *rng.pick(self.topic.roles)];
        let body = *rng.pick(self.topic.bodies);
        let towns = [(), ()].map(|()| invented(&mut rng, &TOWN));
        let n = self.topic.terms.len();
        // an odd step visits different terms where their number is even; concepts have eight
        let (start, step) = (rng.below(n), *rng.pick(&[1, 3, 5, 7]));
        let terms = [0, 1, 2, 3].map(|nth| self.topic.terms[(start + nth * step) % n]);
        Cast { people, roles, body, towns, terms }
    }
}

impl Cast {
    /// Appends `template` with its slots filled and its first letter in upper case.
    fn fill(&self, out: &mut String, template: &str, rng: &mut Rng) {
        let start = out.len();
        let mut rest = template;
        while let Some((before, slot, after)) = next_slot(rest) {
            out.push_str(before);
            let at = out.len();
            self.push(out, slot, rng);
            if slot.starts_with(|c: char| c.is_ascii_uppercase()) {
                capitalise(out, at);
            }
            rest = after;
        }
        out.push_str(rest);
        capitalise(out, start);
    }

    fn push(&self, out: &mut String, slot: &str, rng: &mut Rng) {
        let pack = Language::English.pack();
        let name = |out: &mut String, name: &Name| out.extend(name.iter().copied());
        let person = |out: &mut String, (given, family): &(&str, Name)| {
            out.push_str(given);
            out.push(' ');
            name(out, family);
        };
        match slot {
            "p1" | "P1" => person(out, &self.people[0]),
            "p2" | "P2" => person(out, &self.people[1]),
            "s1" | "S1" => name(out, &self.people[0].1),
            "s2" | "S2" => name(out, &self.people[1].1),
            "r1" | "R1" => out.push_str(self.roles[0]),
            "r2" | "R2" => out.push_str(self.roles[1]),
            "body" | "Body" => out.push_str(self.body),
            "city" | "City" => name(out, &self.towns[0]),
            "city2" | "City2" => name(out, &self.towns[1]),
            "t1" | "T1" => out.push_str(self.terms[0]),
            "t2" | "T2" => out.push_str(self.terms[1]),
            "t3" | "T3" => out.push_str(self.terms[2]),
            "t4" | "T4" => out.push_str(self.terms[3]),
            "n" => out.push_str(&rng.between(3, 98).to_string()),
            "pct" => out.push_str(&format!("{} per cent", rng.between(2, 64))),
            "money" => out.push_str(&format!("${} million", rng.between(2, 900))),
            "day" | "Day" => out.push_str(rng.pick::<&str>(&pack.weekdays)),
            "month" | "Month" => out.push_str(rng.pick::<&str>(&pack.months)),
            other => out.push_str(other),
        }
    }
}

fn person(rng: &mut Rng) -> String {
    let given = *rng.pick(Language::English.pack().first_names);
    format!("{given} {}", invented(rng, &FAMILY).concat())
}

fn invented(rng: &mut Rng, endings: &[&'static str]) -> Name {
    [*rng.pick(&FIRST), *rng.pick(&MIDDLE), *rng.pick(endings)]
}

fn capitalise(text: &mut str, at: usize) {
    if let Some(first) = text.get_mut(at..=at) {
        first.make_ascii_uppercase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use newslode_demo_world::taxonomy::concepts;

    #[test]
    fn every_slot_is_known_and_texts_are_long_enough() {
        for concept in 0..concepts(Language::English).len() {
            let topic = Topic::new(concept);
            for seed in 0..40 {
                let source = Source { seed, topic: &topic };
                let texts: Vec<String> = (0..source.n_paragraphs()).map(|n| source.paragraph(n, 0)).collect();
                let length: usize = texts.iter().map(String::len).sum();
                assert!(length >= 400, "{length} bytes: {texts:?}");
                for text in texts.iter().chain([&source.headline(0), &source.summary()]) {
                    assert!(!text.contains(['{', '}', '<', '&']), "{text}");
                    assert!(!text.ends_with(' ') && !text.is_empty());
                }
            }
        }
    }

    #[test]
    fn the_terms_of_a_story_differ() {
        let topic = Topic::new(0);
        for seed in 0..50 {
            let mut terms = Source { seed, topic: &topic }.cast().terms.to_vec();
            terms.sort_unstable();
            terms.dedup();
            assert_eq!(terms.len(), 4);
        }
    }
}
