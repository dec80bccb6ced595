//! The statements of a file, taken as they come: keeps of each what a scheme needs, and makes schemes of that.
//!
//! Nodes of the graph are numbered as they are met; what kind a node is shows only at the end. So memory follows what is said of
//! concepts, and not the file. Start at [`Collector`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use oxrdf::{NamedOrBlankNode, Term};
use rustc_hash::FxHashMap;
use unicode_normalization::{UnicodeNormalization as _, is_nfc_quick};

use super::results::{Limits, Note, Notes, ReadError, Schemes};
use super::scheme::{LabelKind, LabelRow, Parts, Scheme, Span, Texts};

const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const SKOS_XL: &str = "http://www.w3.org/2008/05/skos-xl#";
const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const DEPRECATED: &str = "http://www.w3.org/2002/07/owl#deprecated";
const TITLES: [&str; 3] = [
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2000/01/rdf-schema#label",
];

/// Longest label in bytes. Longer ones are sentences, which no site uses as a name.
const MAX_LABEL: usize = 1_000;
/// Longest URI in bytes.
const MAX_URI: usize = 2_000;
/// Longest language tag in bytes; those of the standard have at most 35.
const MAX_TAG: usize = 35;
/// Most schemes of one file; EuroVoc has some 130. Each of them takes a walk over all concepts.
const MAX_SCHEMES: usize = 500;

/// There is more than so many of these.
pub(super) struct OverLimit(pub(super) &'static str, pub(super) u32);

/// What a node of the graph is said to be.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    uri: Span,
    /// Called a concept, or used like one.
    concept: bool,
    /// Whether the file declares it a scheme or a collection. These may have labels, too.
    other: bool,
    deprecated: bool,
    blank: bool,
    /// Has a label: then it is a concept, unless it is called something else.
    labelled: bool,
    scheme: bool,
}

/// What a statement of two nodes makes a pair of: the narrower concept, or the member, comes first.
#[derive(Clone, Copy)]
enum Pair {
    Broader,
    Ancestor,
    Scheme,
    Top,
}

/// Keeps of each statement what a scheme needs.
pub(super) struct Collector {
    limits: Limits,
    texts: Texts,
    nodes: Vec<Node>,
    /// Nodes by the hash of their URI: 96 bits cannot be made to collide.
    numbers: FxHashMap<[u8; 12], u32>,
    languages: Vec<String>,
    language_numbers: FxHashMap<String, u16>,
    labels: Vec<LabelRow>,
    /// SKOS-XL: (concept, kind, node of the label), and the texts of such nodes.
    xl_labels: Vec<(u32, LabelKind, u32)>,
    xl_forms: Vec<LabelRow>,
    titles: Vec<LabelRow>,
    notations: Vec<(u32, Span)>,
    exact_matches: Vec<(u32, Span)>,
    broader: Vec<(u32, u32)>,
    ancestors: Vec<(u32, u32)>,
    in_scheme: Vec<(u32, u32)>,
    tops: Vec<(u32, u32)>,
    notes: Notes,
    statements: u64,
    buffer: String,
}

impl Collector {
    pub(super) fn new(limits: Limits) -> Collector {
        Collector {
            limits,
            texts: Texts::default(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            languages: Vec::new(),
            language_numbers: FxHashMap::default(),
            labels: Vec::new(),
            xl_labels: Vec::new(),
            xl_forms: Vec::new(),
            titles: Vec::new(),
            notations: Vec::new(),
            exact_matches: Vec::new(),
            broader: Vec::new(),
            ancestors: Vec::new(),
            in_scheme: Vec::new(),
            tops: Vec::new(),
            notes: Notes::default(),
            statements: 0,
            buffer: String::new(),
        }
    }

    pub(super) fn take(
        &mut self,
        subject: &NamedOrBlankNode,
        predicate: &str,
        object: &Term,
    ) -> Result<(), OverLimit> {
        self.statements += 1;
        if let Some(name) = predicate.strip_prefix(SKOS) {
            return self.take_skos(subject, name, object);
        }
        if let Some(name) = predicate.strip_prefix(SKOS_XL) {
            return match name {
                "prefLabel" => self.take_xl_label(subject, LabelKind::Preferred, object),
                "altLabel" => self.take_xl_label(subject, LabelKind::Alternative, object),
                "hiddenLabel" => self.take_xl_label(subject, LabelKind::Hidden, object),
                "literalForm" => {
                    if let (Some(of), Some((language, text))) =
                        (self.subject(subject)?, self.literal(object)?)
                    {
                        self.xl_forms.push(LabelRow { of, language, kind: LabelKind::Preferred, text });
                        self.within(self.xl_forms.len(), "labels")?;
                    }
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        if predicate == RDF_TYPE {
            return self.take_type(subject, object);
        }
        if predicate == DEPRECATED {
            let yes = matches!(object, Term::Literal(literal) if matches!(literal.value(), "true" | "1"));
            if let (true, Some(node)) = (yes, self.subject(subject)?) {
                self.nodes[node as usize].deprecated = true;
            }
            return Ok(());
        }
        if let Some(rank) = TITLES.iter().position(|title| *title == predicate) {
            // Only schemes need titles. Their statements may come before that of their type, but other nodes have titles by the
            // million: keep those of nodes that are no concept so far.
            if let Some(of) = self.subject(subject)?
                && !self.nodes[of as usize].concept
                && let Some((language, text)) = self.literal(object)?
            {
                let kind = [LabelKind::Preferred, LabelKind::Alternative, LabelKind::Hidden][rank];
                self.titles.push(LabelRow { of, language, kind, text });
                self.within(self.titles.len(), "titles")?;
            }
        }
        Ok(())
    }

    fn take_skos(&mut self, subject: &NamedOrBlankNode, name: &str, object: &Term) -> Result<(), OverLimit> {
        match name {
            "prefLabel" => self.take_label(subject, LabelKind::Preferred, object),
            "altLabel" => self.take_label(subject, LabelKind::Alternative, object),
            "hiddenLabel" => self.take_label(subject, LabelKind::Hidden, object),
            "broader" | "broaderGeneric" | "broaderPartitive" | "broaderInstantial" => {
                self.take_pair(subject, object, Pair::Broader, false)
            }
            "narrower" => self.take_pair(subject, object, Pair::Broader, true),
            "broaderTransitive" => self.take_pair(subject, object, Pair::Ancestor, false),
            "narrowerTransitive" => self.take_pair(subject, object, Pair::Ancestor, true),
            "inScheme" => self.take_pair(subject, object, Pair::Scheme, false),
            "topConceptOf" => self.take_pair(subject, object, Pair::Top, false),
            "hasTopConcept" => self.take_pair(subject, object, Pair::Top, true),
            "notation" => {
                if let (Some(of), Some((_, text))) = (self.subject(subject)?, self.literal(object)?) {
                    self.notations.push((of, text));
                    self.within(self.notations.len(), "notations")?;
                }
                Ok(())
            }
            "exactMatch" => {
                let Term::NamedNode(other) = object else { return Ok(()) };
                if let Some(of) = self.subject(subject)? {
                    if other.as_str().len() > MAX_URI {
                        self.notes.add(Note::Unusable, 1, "");
                        return Ok(());
                    }
                    let other = self.add_text(other.as_str())?;
                    self.exact_matches.push((of, other));
                    self.within(self.exact_matches.len(), "matches")?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn take_type(&mut self, subject: &NamedOrBlankNode, object: &Term) -> Result<(), OverLimit> {
        let Term::NamedNode(class) = object else { return Ok(()) };
        let Some(class) = class.as_str().strip_prefix(SKOS) else { return Ok(()) };
        let (concept, scheme) = match class {
            "Concept" => (true, false),
            "ConceptScheme" => (false, true),
            "Collection" | "OrderedCollection" => (false, false),
            _ => return Ok(()),
        };
        if let Some(node) = self.subject(subject)? {
            let node = &mut self.nodes[node as usize];
            node.concept |= concept;
            node.scheme |= scheme;
            node.other |= !concept;
        }
        Ok(())
    }

    fn take_label(
        &mut self,
        subject: &NamedOrBlankNode,
        kind: LabelKind,
        object: &Term,
    ) -> Result<(), OverLimit> {
        if let (Some(of), Some((language, text))) = (self.subject(subject)?, self.literal(object)?) {
            self.nodes[of as usize].labelled = true;
            self.labels.push(LabelRow { of, language, kind, text });
            self.within(self.labels.len(), "labels")?;
        }
        Ok(())
    }

    fn take_xl_label(
        &mut self,
        subject: &NamedOrBlankNode,
        kind: LabelKind,
        object: &Term,
    ) -> Result<(), OverLimit> {
        let Some(label) = node_of(object) else { return Ok(()) };
        if let (Some(of), Some(label)) = (self.subject(subject)?, self.subject(&label)?) {
            self.nodes[of as usize].labelled = true;
            self.xl_labels.push((of, kind, label));
            self.within(self.xl_labels.len(), "labels")?;
        }
        Ok(())
    }

    /// Takes a statement of two nodes, which makes a [`Pair`].
    fn take_pair(
        &mut self,
        subject: &NamedOrBlankNode,
        object: &Term,
        pair: Pair,
        is_inverse: bool,
    ) -> Result<(), OverLimit> {
        let Some(object) = node_of(object) else { return Ok(()) };
        let (Some(subject), Some(object)) = (self.subject(subject)?, self.subject(&object)?) else {
            return Ok(());
        };
        let (from, to) = if is_inverse { (object, subject) } else { (subject, object) };
        let (pairs, what) = match pair {
            Pair::Broader => (&mut self.broader, "relations"),
            Pair::Ancestor => (&mut self.ancestors, "relations"),
            Pair::Scheme => (&mut self.in_scheme, "memberships of schemes"),
            Pair::Top => (&mut self.tops, "memberships of schemes"),
        };
        pairs.push((from, to));
        let len = pairs.len();
        match pair {
            // The file describes the subject.
            Pair::Broader | Pair::Ancestor => self.nodes[subject as usize].concept = true,
            Pair::Scheme | Pair::Top => {
                let scheme = &mut self.nodes[to as usize];
                (scheme.scheme, scheme.other) = (true, true);
            }
        }
        self.within(len, what)
    }

    /// The number of a node; `None` if its name is too long.
    fn subject(&mut self, node: &NamedOrBlankNode) -> Result<Option<u32>, OverLimit> {
        let (uri, blank) = match node {
            NamedOrBlankNode::NamedNode(node) => (node.as_str(), false),
            NamedOrBlankNode::BlankNode(node) => (node.as_str(), true),
        };
        if uri.is_empty() || uri.len() > MAX_URI {
            self.notes.add(Note::Unusable, 1, "");
            return Ok(None);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[u8::from(blank)]).update(uri.as_bytes());
        let mut key = [0; 12];
        hasher.finalize_xof().fill(&mut key);
        if let Some(known) = self.numbers.get(&key) {
            return Ok(Some(*known));
        }
        let number = u32::try_from(self.nodes.len()).ok().filter(|number| *number < self.limits.concepts);
        let number = number.ok_or(OverLimit("concepts and labels with URIs", self.limits.concepts))?;
        let uri = self.add_text(uri)?;
        self.nodes.push(Node { uri, blank, ..Node::default() });
        self.numbers.insert(key, number);
        Ok(Some(number))
    }

    /// The language and the cleaned text of a literal.
    fn literal(&mut self, object: &Term) -> Result<Option<(u16, Span)>, OverLimit> {
        let Term::Literal(literal) = object else { return Ok(None) };
        self.buffer.clear();
        clean(literal.value(), &mut self.buffer);
        if self.buffer.is_empty() || self.buffer.len() > MAX_LABEL {
            self.notes.add(Note::Unusable, 1, "");
            return Ok(None);
        }
        let language = self.language(literal.language().unwrap_or(""));
        let text = std::mem::take(&mut self.buffer);
        let span = self.add_text(&text)?;
        self.buffer = text;
        Ok(Some((language, span)))
    }

    fn language(&mut self, tag: &str) -> u16 {
        let usable =
            tag.len() <= MAX_TAG && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let tag = if usable { tag.to_ascii_lowercase() } else { String::new() };
        if !usable {
            self.notes.add(Note::Unusable, 1, "");
        }
        if let Some(known) = self.language_numbers.get(&tag) {
            return *known;
        }
        match u16::try_from(self.languages.len()) {
            Ok(number) if number < u16::MAX => {
                self.languages.push(tag.clone());
                self.language_numbers.insert(tag, number);
                number
            }
            // No file has so many languages. The label stays, without one.
            _ => u16::MAX,
        }
    }

    fn add_text(&mut self, text: &str) -> Result<Span, OverLimit> {
        self.texts.add(text).ok_or(OverLimit("bytes of labels and URIs", u32::MAX))
    }

    fn within(&self, len: usize, what: &'static str) -> Result<(), OverLimit> {
        if len > self.limits.statements as usize {
            Err(OverLimit(what, self.limits.statements))
        } else {
            Ok(())
        }
    }

    /// Makes schemes of all that was kept.
    pub(super) fn finish(mut self, file: &str) -> Result<Schemes, ReadError> {
        self.numbers = FxHashMap::default();
        self.resolve_xl();
        // Parsers give nodes without a URI names at random.
        let uri = |texts: &Texts, node: &Node| {
            if node.blank { String::new() } else { texts.get(node.uri).to_owned() }
        };
        // Which nodes are concepts.
        let mut is_concept = vec![false; self.nodes.len()];
        for pairs in [&self.in_scheme, &self.tops] {
            for (concept, _) in pairs {
                is_concept[*concept as usize] = true;
            }
        }
        for (is, node) in is_concept.iter_mut().zip(&self.nodes) {
            // What is only a member of a scheme, or has only a label, may be a collection.
            *is = (node.concept && !node.scheme) || ((*is || node.labelled) && !node.other);
            if *is && (node.deprecated || node.blank) {
                *is = false;
                let (note, place) = if node.deprecated {
                    (Note::Deprecated, uri(&self.texts, node))
                } else {
                    (Note::Anonymous, String::new())
                };
                self.notes.add(note, 1, &place);
            }
        }
        if !is_concept.contains(&true) {
            return Err(ReadError::NoConcepts { file: file.to_owned(), statements: self.statements });
        }
        for pairs in [&mut self.broader, &mut self.ancestors] {
            pairs.retain(|(narrow, broad)| {
                let (narrow, broad) = (*narrow as usize, *broad as usize);
                if is_concept[narrow] && !is_concept[broad] {
                    self.notes.add(Note::DanglingBroader, 1, &uri(&self.texts, &self.nodes[broad]));
                }
                is_concept[narrow] && is_concept[broad]
            });
        }

        let schemes: BTreeSet<u32> =
            (0_u32..).zip(&self.nodes).filter(|(_, node)| node.scheme).map(|(at, _)| at).collect();
        if schemes.len() > MAX_SCHEMES {
            return Err(ReadError::TooLarge {
                file: file.to_owned(),
                what: "schemes",
                limit: MAX_SCHEMES as u64,
            });
        }
        let titles = self.titles(&schemes);
        let texts = Arc::new(std::mem::take(&mut self.texts));
        let mut made = Vec::new();
        if schemes.len() <= 1 {
            let (own, title) = match schemes.first() {
                Some(scheme) => (
                    texts.get(self.nodes[*scheme as usize].uri).to_owned(),
                    titles.get(scheme).cloned().unwrap_or_default(),
                ),
                None => (file.to_owned(), String::new()),
            };
            let labels = std::mem::take(&mut self.labels);
            made.push(self.scheme(own, title, &texts, &is_concept, labels));
        } else {
            let belongs = self.memberships(&is_concept);
            let mut alone = is_concept.clone();
            for (concept, _) in &belongs {
                alone[*concept as usize] = false;
            }
            let mut members = vec![false; self.nodes.len()];
            for scheme in &schemes {
                members.fill(false);
                for (concept, _) in belongs.iter().filter(|(_, of)| of == scheme) {
                    members[*concept as usize] = true;
                }
                if members.contains(&true) {
                    self.note_elsewhere(&members, &texts);
                    let own = texts.get(self.nodes[*scheme as usize].uri).to_owned();
                    let labels =
                        self.labels.iter().filter(|label| members[label.of as usize]).copied().collect();
                    made.push(self.scheme(
                        own,
                        titles.get(scheme).cloned().unwrap_or_default(),
                        &texts,
                        &members,
                        labels,
                    ));
                }
            }
            if alone.contains(&true) {
                let first = alone
                    .iter()
                    .zip(&self.nodes)
                    .filter(|(alone, _)| **alone)
                    .map(|(_, node)| texts.get(node.uri))
                    .min();
                let count = alone.iter().filter(|alone| **alone).count() as u64;
                self.notes.add(Note::WithoutScheme, count, first.unwrap_or_default());
                self.note_elsewhere(&alone, &texts);
                let labels = self.labels.iter().filter(|label| alone[label.of as usize]).copied().collect();
                made.push(self.scheme(file.to_owned(), String::new(), &texts, &alone, labels));
            }
        }
        made.sort_by(|a, b| a.uri().cmp(b.uri()));
        Ok(Schemes { schemes: made, notes: self.notes })
    }

    /// Puts the texts of SKOS-XL labels in their place.
    fn resolve_xl(&mut self) {
        self.xl_forms.sort_unstable_by_key(|form| form.of);
        for (of, kind, label) in std::mem::take(&mut self.xl_labels) {
            let begin = self.xl_forms.partition_point(|form| form.of < label);
            let forms = self.xl_forms[begin..].iter().take_while(|form| form.of == label);
            self.labels.extend(forms.map(|form| LabelRow { of, kind, ..*form }));
        }
        self.xl_forms = Vec::new();
    }

    /// The title of each scheme: by kind of title, English before none before other languages, then by language and text.
    fn titles(&self, schemes: &BTreeSet<u32>) -> BTreeMap<u32, String> {
        let language =
            |row: &LabelRow| self.languages.get(usize::from(row.language)).map_or("", String::as_str);
        let mut best: BTreeMap<u32, (bool, LabelKind, bool, &str, &str)> = BTreeMap::new();
        let labels = self.labels.iter().filter(|label| self.nodes[label.of as usize].scheme);
        for (is_label, row) in self.titles.iter().map(|row| (false, row)).chain(labels.map(|row| (true, row)))
        {
            if schemes.contains(&row.of) {
                let english = language(row) == "en" || language(row).starts_with("en-");
                let rank = (is_label, row.kind, !english, language(row), self.texts.get(row.text));
                let known = best.entry(row.of).or_insert(rank);
                *known = rank.min(*known);
            }
        }
        best.into_iter().map(|(scheme, (.., title))| (scheme, title.to_owned())).collect()
    }

    /// Which concepts belong to which schemes: as the file says, else to those of their broader concepts.
    fn memberships(&self, is_concept: &[bool]) -> BTreeSet<(u32, u32)> {
        let said = self
            .in_scheme
            .iter()
            .chain(&self.tops)
            .filter(|(concept, _)| is_concept[*concept as usize])
            .copied();
        let mut belongs: BTreeSet<(u32, u32)> = said.collect();
        let mut down: Vec<(u32, u32)> =
            self.broader.iter().map(|(narrow, broad)| (*broad, *narrow)).collect();
        down.sort_unstable();
        let is_said: BTreeSet<u32> = belongs.iter().map(|(concept, _)| *concept).collect();
        let mut waiting: VecDeque<(u32, u32)> = belongs.iter().copied().collect();
        while let Some((broad, scheme)) = waiting.pop_front() {
            let begin = down.partition_point(|(at, _)| *at < broad);
            for (_, narrow) in down[begin..].iter().take_while(|(at, _)| *at == broad) {
                if !is_said.contains(narrow) && belongs.insert((*narrow, scheme)) {
                    waiting.push_back((*narrow, scheme));
                }
            }
        }
        belongs
    }

    fn note_elsewhere(&mut self, members: &[bool], texts: &Texts) {
        for (narrow, broad) in &self.broader {
            if members[*narrow as usize] && !members[*broad as usize] {
                self.notes.add(Note::BroaderElsewhere, 1, texts.get(self.nodes[*narrow as usize].uri));
            }
        }
    }

    /// The scheme of the nodes that are members.
    fn scheme(
        &mut self,
        uri: String,
        title: String,
        texts: &Arc<Texts>,
        members: &[bool],
        mut labels: Vec<LabelRow>,
    ) -> Scheme {
        let mut number = vec![u32::MAX; members.len()];
        let mut concepts = Vec::new();
        for ((number, node), _) in
            number.iter_mut().zip(&self.nodes).zip(members).filter(|(_, member)| **member)
        {
            *number = u32::try_from(concepts.len()).unwrap_or(u32::MAX);
            concepts.push(node.uri);
        }
        labels.retain_mut(|label| {
            label.of = number[label.of as usize];
            label.of != u32::MAX
        });
        let both = |pairs: &[(u32, u32)]| -> Vec<(u32, u32)> {
            let numbered = pairs.iter().map(|(a, b)| (number[*a as usize], number[*b as usize]));
            numbered.filter(|(a, b)| *a != u32::MAX && *b != u32::MAX).collect()
        };
        let texts_of = |pairs: &[(u32, Span)]| -> Vec<(u32, Span)> {
            pairs
                .iter()
                .map(|(of, text)| (number[*of as usize], *text))
                .filter(|(of, _)| *of != u32::MAX)
                .collect()
        };
        let own = |node: u32| texts.get(self.nodes[node as usize].uri) == uri;
        let tops =
            self.tops.iter().filter(|(_, scheme)| own(*scheme)).map(|(concept, _)| number[*concept as usize]);
        let parts = Parts {
            tops: tops.filter(|top| *top != u32::MAX).collect(),
            broader: both(&self.broader),
            ancestors: both(&self.ancestors),
            notations: texts_of(&self.notations),
            exact_matches: texts_of(&self.exact_matches),
            languages: self.languages.clone(),
            texts: Arc::clone(texts),
            uri,
            title,
            concepts,
            labels,
        };
        let (scheme, repairs) = Scheme::new(parts);
        let place = repairs.cycle_at.and_then(|at| scheme.concept(at)).map_or("", |concept| concept.uri());
        self.notes.add(Note::Cycle, repairs.cycles, place);
        self.notes.add(Note::SecondPreferred, repairs.more_preferred, "");
        self.notes.add(Note::Unlabelled, repairs.unlabelled, "");
        scheme
    }
}

fn node_of(term: &Term) -> Option<NamedOrBlankNode> {
    match term {
        Term::NamedNode(node) => Some(node.clone().into()),
        Term::BlankNode(node) => Some(node.clone().into()),
        _ => None,
    }
}

/// Adds a text without control and direction characters, composed, with single spaces. Joiners stay: Persian and Indic scripts
/// need them.
fn clean(text: &str, cleaned: &mut String) {
    // Longer than any label, even if all of it were marks that compose: not worth the work.
    if text.len() > 8 * MAX_LABEL {
        cleaned.push_str(text);
        return;
    }
    let shown = |letter: &char| !matches!(*letter, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{AD}');
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        let begin = cleaned.len();
        if begin > 0 {
            cleaned.push(' ');
        }
        let before = cleaned.len();
        if word.is_ascii() {
            cleaned.push_str(word);
        } else if is_nfc_quick(word.chars()) == unicode_normalization::IsNormalized::Yes {
            cleaned.extend(word.chars().filter(shown));
        } else {
            cleaned.extend(word.chars().filter(shown).nfc());
        }
        if cleaned.len() == before {
            cleaned.truncate(begin);
        }
    }
}
