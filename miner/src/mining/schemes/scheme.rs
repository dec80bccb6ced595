//! A scheme of concepts in memory, packed: texts lie in one arena, and everything else is a number.
//!
//! A thesaurus may have a million concepts, and objects of their own would take four times the memory. Concepts are numbered in
//! the order of their URIs, so that numbers, and with them the digest, do not depend on the order of the file. Broader concepts
//! form no cycle: [`Scheme::new`] breaks cycles, and says how often. Start at [`Scheme`].

use std::sync::Arc;

/// Bytes of one piece of the arena. A text never crosses pieces, so memory grows by pieces and nothing is copied.
const PIECE: usize = 1 << 20;
/// Of so many ancestors of a concept the nearest is looked for; each is compared with each. Hierarchies are some ten levels deep.
const MOST_ANCESTORS: usize = 300;

/// What a label is to its concept. Ordered from the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LabelKind {
    /// `skos:prefLabel`: the name to show; at most one per language.
    Preferred,
    /// `skos:altLabel`: another name.
    Alternative,
    /// `skos:hiddenLabel`: found, but not shown, as common misspellings.
    Hidden,
}

/// A label of a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label<'a> {
    /// What it is to the concept.
    pub kind: LabelKind,
    /// Language tag in lower case, as `en` or `zh-hant`; empty if the file gives none.
    pub language: &'a str,
    /// The text, without control characters, with single spaces.
    pub text: &'a str,
}

/// A list of concepts, ordered by `broader`.
#[derive(Debug)]
pub struct Scheme {
    uri: String,
    title: String,
    digest: String,
    texts: Arc<Texts>,
    concepts: Vec<ConceptRow>,
    labels: Vec<LabelRow>,
    broader: Vec<u32>,
    notations: Vec<Span>,
    exact_matches: Vec<Span>,
    languages: Vec<String>,
}

impl PartialEq for Scheme {
    fn eq(&self, other: &Scheme) -> bool {
        self.digest == other.digest
    }
}

/// One concept of a scheme.
#[derive(Clone, Copy, Debug)]
pub struct Concept<'a> {
    scheme: &'a Scheme,
    number: u32,
}

/// Where a concept's parts begin; they end where the next one's begin.
#[derive(Clone, Copy, Debug, Default)]
struct ConceptRow {
    uri: Span,
    labels: u32,
    broader: u32,
    notations: u32,
    exact_matches: u32,
    is_top: bool,
}

/// A label of the concept or node with this number.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelRow {
    pub(super) of: u32,
    pub(super) language: u16,
    pub(super) kind: LabelKind,
    pub(super) text: Span,
}

/// Where a text lies in [`Texts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    at: u32,
    bytes: u32,
}

/// The arena of all texts of a file.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pieces: Vec<String>,
}

/// What was read of a scheme, by numbers that the file's order decided. Pairs are (concept, of it).
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) uri: String,
    pub(super) title: String,
    pub(super) texts: Arc<Texts>,
    /// The URI of each concept.
    pub(super) concepts: Vec<Span>,
    pub(super) labels: Vec<LabelRow>,
    pub(super) languages: Vec<String>,
    pub(super) notations: Vec<(u32, Span)>,
    pub(super) exact_matches: Vec<(u32, Span)>,
    pub(super) broader: Vec<(u32, u32)>,
    /// All ancestors of a concept, of files that do not say which is the nearest.
    pub(super) ancestors: Vec<(u32, u32)>,
    pub(super) tops: Vec<u32>,
}

/// What [`Scheme::new`] had to change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Repairs {
    /// Statements of `broader` that closed a cycle, and were left out.
    pub(super) cycles: u64,
    /// A concept of such a cycle.
    pub(super) cycle_at: Option<u32>,
    /// Preferred labels beyond the first one of a concept and language, which became alternative ones.
    pub(super) more_preferred: u64,
    /// Concepts without any label.
    pub(super) unlabelled: u64,
}

impl Scheme {
    /// Numbers the concepts by their URIs, which must differ, and breaks cycles.
    pub(super) fn new(mut parts: Parts) -> (Scheme, Repairs) {
        let mut repairs = Repairs::default();
        let texts = Arc::clone(&parts.texts);
        let mut order: Vec<u32> = (0..).take(parts.concepts.len()).collect();
        order.sort_unstable_by_key(|read| texts.get(parts.concepts[*read as usize]));
        let mut number = vec![0_u32; order.len()];
        for (new, read) in (0_u32..).zip(&order) {
            number[*read as usize] = new;
        }
        let mut concepts: Vec<ConceptRow> = order
            .iter()
            .map(|read| ConceptRow { uri: parts.concepts[*read as usize], ..ConceptRow::default() })
            .collect();
        drop(order);

        for label in &mut parts.labels {
            label.of = number[label.of as usize];
        }
        repairs.more_preferred = sort_labels(&mut parts.labels, &parts.languages, &texts);

        for pairs in [&mut parts.broader, &mut parts.ancestors] {
            for (narrow, broad) in pairs.iter_mut() {
                (*narrow, *broad) = (number[*narrow as usize], number[*broad as usize]);
            }
            pairs.retain(|(narrow, broad)| narrow != broad);
            pairs.sort_unstable();
            pairs.dedup();
        }
        add_nearest(&mut parts.broader, &parts.ancestors, concepts.len());
        for top in &parts.tops {
            concepts[number[*top as usize] as usize].is_top = true;
        }
        break_cycles(&mut parts.broader, &concepts, &mut repairs);

        for pairs in [&mut parts.notations, &mut parts.exact_matches] {
            for (of, _) in pairs.iter_mut() {
                *of = number[*of as usize];
            }
            pairs.sort_unstable_by_key(|(of, text)| (*of, texts.get(*text)));
            pairs.dedup_by_key(|(of, text)| (*of, texts.get(*text)));
        }
        drop(number);

        let mut at = [0_usize; 4];
        for (own, concept) in (0_u32..).zip(&mut concepts) {
            let step = |at: &mut usize, len: usize, of: &dyn Fn(usize) -> u32| {
                let begin = *at;
                while *at < len && of(*at) == own {
                    *at += 1;
                }
                u32::try_from(begin).unwrap_or(u32::MAX)
            };
            concept.labels = step(&mut at[0], parts.labels.len(), &|at| parts.labels[at].of);
            concept.broader = step(&mut at[1], parts.broader.len(), &|at| parts.broader[at].0);
            concept.notations = step(&mut at[2], parts.notations.len(), &|at| parts.notations[at].0);
            concept.exact_matches =
                step(&mut at[3], parts.exact_matches.len(), &|at| parts.exact_matches[at].0);
            concept.is_top |= at[1] == concept.broader as usize;
            repairs.unlabelled += u64::from(at[0] == concept.labels as usize);
        }
        let mut scheme = Scheme {
            uri: parts.uri,
            title: parts.title,
            digest: String::new(),
            texts,
            concepts,
            labels: parts.labels,
            broader: parts.broader.into_iter().map(|(_, broad)| broad).collect(),
            notations: parts.notations.into_iter().map(|(_, text)| text).collect(),
            exact_matches: parts.exact_matches.into_iter().map(|(_, text)| text).collect(),
            languages: parts.languages,
        };
        scheme.digest = scheme.content_digest();
        (scheme, repairs)
    }

    /// The scheme's URI; that of the file, as its reader named it, if the file declares no scheme.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Its title, in English if there is one; empty if the file gives none.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Names the content: equal for files that state the same, in 64 hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The number of concepts. They are numbered from 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.concepts.len()
    }

    /// Whether there are no concepts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// The number of labels of all concepts.
    #[must_use]
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// The concept with this number.
    #[must_use]
    pub fn concept(&self, number: u32) -> Option<Concept<'_>> {
        ((number as usize) < self.concepts.len()).then_some(Concept { scheme: self, number })
    }

    /// All concepts in the order of their numbers.
    pub fn concepts(&self) -> impl Iterator<Item = Concept<'_>> {
        (0_u32..).take(self.concepts.len()).map(|number| Concept { scheme: self, number })
    }

    /// The concept with this URI.
    #[must_use]
    pub fn find(&self, uri: &str) -> Option<Concept<'_>> {
        let at = self.concepts.binary_search_by(|row| self.texts.get(row.uri).cmp(uri)).ok()?;
        Some(Concept { scheme: self, number: u32::try_from(at).ok()? })
    }

    /// All ancestors of a concept, each once: those that are fewer steps away first, then by number.
    #[must_use]
    pub fn ancestors(&self, number: u32) -> Vec<u32> {
        let mut found = vec![number];
        let mut seen = std::collections::BTreeSet::from([number]);
        let mut begin = 0;
        while begin < found.len() {
            let end = found.len();
            let nearest: std::collections::BTreeSet<u32> = found[begin..end]
                .iter()
                .filter_map(|at| self.concept(*at))
                .flat_map(|concept| concept.broader().iter().copied())
                .filter(|broad| !seen.contains(broad))
                .collect();
            seen.extend(&nearest);
            found.extend(nearest);
            begin = end;
        }
        found.split_off(1)
    }

    /// Whether it may have labels in this language, compared without script and region.
    #[must_use]
    pub fn has_language(&self, language: &str) -> bool {
        let wanted = language.to_ascii_lowercase();
        self.languages.iter().any(|tag| primary(tag) == primary(&wanted))
    }

    /// The label with this number, and its concept's.
    pub(super) fn label(&self, number: u32) -> Option<(u32, Label<'_>)> {
        let row = self.labels.get(number as usize)?;
        Some((row.of, self.shown(row)))
    }

    fn shown(&self, row: &LabelRow) -> Label<'_> {
        let language = self.languages.get(usize::from(row.language)).map_or("", String::as_str);
        Label { kind: row.kind, language, text: self.texts.get(row.text) }
    }

    fn content_digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut text = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        text(&self.uri);
        text(&self.title);
        for concept in self.concepts() {
            text(concept.uri());
            text(if concept.is_top() { "top" } else { "" });
            for label in concept.labels() {
                text(match label.kind {
                    LabelKind::Preferred => "p",
                    LabelKind::Alternative => "a",
                    LabelKind::Hidden => "h",
                });
                text(label.language);
                text(label.text);
            }
            text("b");
            for broad in concept.broader() {
                text(&broad.to_string());
            }
            text("n");
            concept.notations().for_each(&mut text);
            text("m");
            concept.exact_matches().for_each(&mut text);
        }
        hasher.finalize().to_hex().to_string()
    }
}

impl<'a> Concept<'a> {
    /// Its number in the scheme.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// Its URI.
    #[must_use]
    pub fn uri(self) -> &'a str {
        self.scheme.texts.get(self.row().uri)
    }

    /// Its codes, as `641.5`, in order.
    pub fn notations(self) -> impl Iterator<Item = &'a str> {
        let range = self.range(|row| row.notations, self.scheme.notations.len());
        self.scheme.notations[range].iter().map(|span| self.scheme.texts.get(*span))
    }

    /// Its labels: by kind, then language, then text.
    pub fn labels(self) -> impl Iterator<Item = Label<'a>> {
        let range = self.range(|row| row.labels, self.scheme.labels.len());
        self.scheme.labels[range].iter().map(|row| self.scheme.shown(row))
    }

    /// The name to show to readers of a language: the preferred label in it, else in English, else the first one. The same
    /// language of another region is as good.
    #[must_use]
    pub fn name(self, language: &str) -> Option<&'a str> {
        let preferred = |wanted: &str| {
            let of_kind = || self.labels().filter(|label| label.kind == LabelKind::Preferred);
            let exact = of_kind().find(|label| label.language == wanted);
            exact.or_else(|| of_kind().find(|label| primary(label.language) == primary(wanted)))
        };
        let label = preferred(language).or_else(|| preferred("en")).or_else(|| self.labels().next());
        label.map(|label| label.text)
    }

    /// The numbers of its broader concepts, ascending. Following them never leads back.
    #[must_use]
    pub fn broader(self) -> &'a [u32] {
        &self.scheme.broader[self.range(|row| row.broader, self.scheme.broader.len())]
    }

    /// URIs of equal concepts of other schemes (`skos:exactMatch`).
    pub fn exact_matches(self) -> impl Iterator<Item = &'a str> {
        let range = self.range(|row| row.exact_matches, self.scheme.exact_matches.len());
        self.scheme.exact_matches[range].iter().map(|span| self.scheme.texts.get(*span))
    }

    /// Whether the file calls it a top concept, or nothing is broader.
    #[must_use]
    pub fn is_top(self) -> bool {
        self.row().is_top
    }

    fn row(self) -> &'a ConceptRow {
        &self.scheme.concepts[self.number as usize]
    }

    fn range(self, begin: impl Fn(&ConceptRow) -> u32, all: usize) -> std::ops::Range<usize> {
        let end = self.scheme.concepts.get(self.number as usize + 1).map_or(all, |next| begin(next) as usize);
        begin(self.row()) as usize..end
    }
}

impl Texts {
    /// Adds a text; `None` when four GiB are full.
    pub(super) fn add(&mut self, text: &str) -> Option<Span> {
        debug_assert!(text.len() < PIECE);
        let full = self.pieces.last().is_none_or(|piece| piece.len() + text.len() > PIECE);
        if full {
            self.pieces.push(String::with_capacity(PIECE));
        }
        let piece = self.pieces.len().checked_sub(1)?;
        let within = self.pieces[piece].len();
        let at = u32::try_from(piece * PIECE + within).ok()?;
        self.pieces[piece].push_str(text);
        Some(Span { at, bytes: u32::try_from(text.len()).ok()? })
    }

    pub(super) fn get(&self, span: Span) -> &str {
        let (piece, begin) = (span.at as usize / PIECE, span.at as usize % PIECE);
        self.pieces.get(piece).and_then(|piece| piece.get(begin..begin + span.bytes as usize)).unwrap_or("")
    }
}

/// The language of a tag in lower case, without script and region. Norwegian has three codes.
pub(super) fn primary(tag: &str) -> &str {
    match tag.split(['-', '_']).next().unwrap_or("") {
        "nb" | "nn" => "no",
        "iw" => "he",
        "in" => "id",
        "fil" => "tl",
        other => other,
    }
}

/// Sorts labels by concept, kind, language and text, and leaves out repeated ones. Of several preferred labels of a language the
/// first stays one; returns how many became alternative.
fn sort_labels(labels: &mut Vec<LabelRow>, languages: &[String], texts: &Texts) -> u64 {
    let language = |row: &LabelRow| languages.get(usize::from(row.language)).map_or("", String::as_str);
    // Repeated texts beside each other, the strongest kind first.
    labels.sort_unstable_by(|a, b| {
        let text = || texts.get(a.text).cmp(texts.get(b.text));
        (a.of, a.language).cmp(&(b.of, b.language)).then_with(text).then(a.kind.cmp(&b.kind))
    });
    labels.dedup_by(|next, first| {
        next.of == first.of
            && next.language == first.language
            && texts.get(next.text) == texts.get(first.text)
    });
    let mut more = 0;
    let mut last = None;
    for label in labels.iter_mut().filter(|label| label.kind == LabelKind::Preferred) {
        let own = Some((label.of, label.language));
        if own == last {
            label.kind = LabelKind::Alternative;
            more += 1;
        }
        last = own;
    }
    labels.sort_unstable_by(|a, b| {
        (a.of, a.kind)
            .cmp(&(b.of, b.kind))
            .then_with(|| language(a).cmp(language(b)))
            .then_with(|| texts.get(a.text).cmp(texts.get(b.text)))
    });
    more
}

/// Gives concepts of which only the ancestors are known the nearest of these: those that are no ancestors of another one.
fn add_nearest(broader: &mut Vec<(u32, u32)>, ancestors: &[(u32, u32)], concepts: usize) {
    if ancestors.is_empty() {
        return;
    }
    let mut has_broader = vec![false; concepts];
    for (narrow, _) in broader.iter() {
        has_broader[*narrow as usize] = true;
    }
    let leads = |narrow: u32, broad: u32| ancestors.binary_search(&(narrow, broad)).is_ok();
    for own in ancestors.chunk_by(|a, b| a.0 == b.0).filter(|own| !has_broader[own[0].0 as usize]) {
        let own = &own[..own.len().min(MOST_ANCESTORS)];
        // Two that lead to each other are in a cycle: the first of them stays.
        let hidden = |broad: u32| {
            own.iter().any(|(_, other)| {
                *other != broad && leads(*other, broad) && (*other < broad || !leads(broad, *other))
            })
        };
        broader.extend(own.iter().copied().filter(|(_, broad)| !hidden(*broad)));
    }
    broader.sort_unstable();
}

/// Leaves out statements of `broader` that lead back to where they began.
///
/// Walks down from the top concepts, then from those without a broader one, then from all that are left, each by number. A
/// statement that would put a concept of the way above itself is left out. So what a file calls a top concept stays one.
fn break_cycles(broader: &mut Vec<(u32, u32)>, concepts: &[ConceptRow], repairs: &mut Repairs) {
    let mut down: Vec<(u32, u32)> = broader.iter().map(|(narrow, broad)| (*broad, *narrow)).collect();
    down.sort_unstable();
    let mut begins = vec![0_usize; concepts.len() + 1];
    for (broad, _) in &down {
        begins[*broad as usize + 1] += 1;
    }
    for at in 0..concepts.len() {
        begins[at + 1] += begins[at];
    }
    let mut rooted = vec![true; concepts.len()];
    for (narrow, _) in broader.iter() {
        rooted[*narrow as usize] = false;
    }
    let all = || (0_u32..).take(concepts.len());
    let tops = all().filter(|at| concepts[*at as usize].is_top);
    let starts = tops.chain(all().filter(|at| rooted[*at as usize])).chain(all());
    #[derive(Clone, Copy, PartialEq)]
    enum Walk {
        New,
        Open,
        Done,
    }
    let mut state = vec![Walk::New; concepts.len()];
    let mut closing = Vec::new();
    let mut way: Vec<(u32, usize)> = Vec::new();
    for start in starts {
        if state[start as usize] != Walk::New {
            continue;
        }
        state[start as usize] = Walk::Open;
        way.push((start, begins[start as usize]));
        while let Some((at, next)) = way.last_mut() {
            if *next == begins[*at as usize + 1] {
                state[*at as usize] = Walk::Done;
                way.pop();
                continue;
            }
            let (broad, narrow) = down[*next];
            *next += 1;
            match state[narrow as usize] {
                Walk::New => {
                    state[narrow as usize] = Walk::Open;
                    way.push((narrow, begins[narrow as usize]));
                }
                Walk::Open => closing.push((narrow, broad)),
                Walk::Done => {}
            }
        }
    }
    if closing.is_empty() {
        return;
    }
    closing.sort_unstable();
    repairs.cycles = closing.len() as u64;
    repairs.cycle_at = closing.first().map(|(narrow, _)| *narrow);
    broader.retain(|pair| closing.binary_search(pair).is_err());
}
