//! The ontology ⟨L, C, T, I, A, Syn, Member⟩ `[OM05 §3]` as Turtle or RDF/XML, in standard vocabularies. Both
//! forms hold the same statements in the same order.
//!
//! Concepts are SKOS: L and Syn are labels (`prefLabel`, `altLabel` with language tags), C is `skos:Concept`,
//! T is `broader`/`narrower`. Instances I are schema.org `NewsArticle`s, A their properties; those that are
//! no articles are `WebPage`s with A as `additionalProperty`. Member is `schema:about`. SKOS has no terms for
//! the proof of a statement, so a vocabulary of our own has them: `support` (sites), `score`, and for each
//! pair one `Relation` with `broader`, `narrower`, `level`, `site`. A concept's IRI is the base and its
//! percent-encoded key, so it is the same in every export as long as the key is. `dct:identifier` is its identifier in the
//! [registry](crate::mining::registry), which lasts. A concept that was merged into another one is `owl:deprecated`, and
//! `dct:isReplacedBy` leads to the other. What it is in schemes from outside is an `exactMatch` if the label is
//! spelled so in its language, else a `closeMatch`.
//!
//! Each site's own sections and tags are a scheme of their own: a `skos:ConceptScheme` for each site, whose concepts have
//! a `kind` and, where it is known, the page as `schema:url`. Articles name them as `dct:subject`. They are written before the
//! first article that names them, so places are left out that have neither articles nor a narrower place with articles. Where
//! the site says that one lies within another one, that is `broader`, with a `Relation`; the others are top concepts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use newslode_page::article::{Access, Article};
use newslode_page::formats::date_type;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{Literal, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, TermRef, TripleRef};
use oxrdfxml::{RdfXmlSerializer, WriterRdfXmlSerializer};
use oxttl::TurtleSerializer;
use oxttl::turtle::WriterTurtleSerializer;

use crate::mining::instances::ConceptInstance;
use crate::mining::registry::{Entry, Registry};
use crate::mining::schemes::Step;
use crate::mining::site_scheme::{Place, PlaceKind, SiteScheme, folded};
use crate::mining::taxonomy::{Concept, OtherLanguages, Relation, Taxonomy};

/// Default base of concepts' IRIs.
pub const BASE: &str = "urn:newslode:";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const SCHEMA: &str = "https://schema.org/";
const OWN: &str = "urn:newslode:vocabulary:";
const DCT: &str = "http://purl.org/dc/terms/";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
/// The most properties of an instance, and the most values of a property; later ones are left out.
const MOST_PROPERTIES: usize = 100;

/// The syntax of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RdfForm {
    /// Turtle.
    Turtle,
    /// RDF/XML.
    Xml,
}

enum Serializer<W: Write> {
    Turtle(WriterTurtleSerializer<W>),
    Xml(WriterRdfXmlSerializer<W>),
}

/// Writes a taxonomy and its articles, one article at a time, so any number of them fits.
pub struct OntologyWriter<W: Write> {
    out: Serializer<W>,
    base: String,
    /// The site of the last article, the names of its places that were written, and where its places lie.
    site: String,
    places: BTreeSet<String>,
    tree: BTreeMap<String, Place>,
}

impl<W: Write> OntologyWriter<W> {
    /// Starts a document. `base` begins every concept's IRI; see [`BASE`].
    ///
    /// # Errors
    /// When `base` does not begin an absolute IRI.
    pub fn new(out: W, base: &str, form: RdfForm) -> io::Result<Self> {
        iri(&format!("{base}scheme"))?;
        let prefixes =
            [("skos", SKOS), ("schema", SCHEMA), ("nl", OWN), ("dct", DCT), ("owl", OWL), ("xsd", XSD)]
                .into_iter();
        let out = match form {
            RdfForm::Turtle => {
                let mut prefixes = prefixes;
                let begun =
                    prefixes.try_fold(TurtleSerializer::new(), |to, (name, iri)| to.with_prefix(name, iri));
                Serializer::Turtle(begun.map_err(invalid)?.for_writer(out))
            }
            RdfForm::Xml => {
                let mut prefixes = prefixes;
                let begun =
                    prefixes.try_fold(RdfXmlSerializer::new(), |to, (name, iri)| to.with_prefix(name, iri));
                Serializer::Xml(begun.map_err(invalid)?.for_writer(out))
            }
        };
        Ok(OntologyWriter {
            out,
            base: base.to_owned(),
            site: String::new(),
            places: BTreeSet::new(),
            tree: BTreeMap::new(),
        })
    }

    /// Writes concepts and relations, with the identifiers of concepts. One that the registry has not followed yet has none.
    ///
    /// # Errors
    /// When writing fails.
    pub fn taxonomy(&mut self, taxonomy: &Taxonomy, registry: &Registry) -> io::Result<()> {
        let scheme = iri(&format!("{}scheme", self.base))?;
        self.triple(&scheme, rdf::TYPE, &word(SKOS, "ConceptScheme")?)?;
        let (ids, others) = (registry.identifiers(), OtherLanguages::of(taxonomy));
        for concept in &taxonomy.concepts {
            self.concept(&scheme, concept)?;
            for other in others.same_as(concept) {
                let (subject, other) = (self.concept_iri(&concept.key)?, self.concept_iri(&other.key)?);
                self.triple(&subject, word(SKOS, "exactMatch")?.as_ref(), &other)?;
            }
            if let Some(id) = ids.get(concept.key.as_str()) {
                let subject = self.concept_iri(&concept.key)?;
                self.triple(&subject, word(DCT, "identifier")?.as_ref(), &text(id, None))?;
            }
        }
        taxonomy.relations.iter().try_for_each(|relation| self.relation(relation))?;
        // The key of a replaced concept may be that of a concept today, or of several that were replaced.
        let mut named: BTreeSet<&str> =
            taxonomy.concepts.iter().map(|concept| concept.key.as_str()).collect();
        for (replaced, by) in registry.replaced() {
            if taxonomy.concept(&by.key).is_some() {
                let name = if named.insert(&replaced.key) { &replaced.key } else { &replaced.id };
                self.replaced(name, replaced, &by.key)?;
            }
        }
        Ok(())
    }

    /// A concept that was, under the name that its IRI gives.
    fn replaced(&mut self, name: &str, entry: &Entry, by: &str) -> io::Result<()> {
        let (subject, by) = (self.concept_iri(name)?, self.concept_iri(by)?);
        self.triple(&subject, word(OWL, "deprecated")?.as_ref(), &Literal::from(true))?;
        self.triple(&subject, word(DCT, "identifier")?.as_ref(), &text(&entry.id, None))?;
        let language = entry.key.split_once(':').map(|(language, _)| language);
        self.triple(&subject, word(SKOS, "prefLabel")?.as_ref(), &text(&entry.label, language))?;
        self.triple(&subject, word(DCT, "isReplacedBy")?.as_ref(), &by)
    }

    fn concept(&mut self, scheme: &NamedNode, concept: &Concept) -> io::Result<()> {
        let subject = self.concept_iri(&concept.key)?;
        self.triple(&subject, rdf::TYPE, &word(SKOS, "Concept")?)?;
        self.triple(&subject, word(SKOS, "inScheme")?.as_ref(), scheme)?;
        let label = text(&concept.label, Some(&concept.language));
        self.triple(&subject, word(SKOS, "prefLabel")?.as_ref(), &label)?;
        for form in concept.other_names() {
            let form = text(form, Some(&concept.language));
            self.triple(&subject, word(SKOS, "altLabel")?.as_ref(), &form)?;
        }
        if concept.parents.is_empty() {
            self.triple(&subject, word(SKOS, "topConceptOf")?.as_ref(), scheme)?;
        }
        let support = Literal::from(concept.sites.len() as u64);
        self.triple(&subject, word(OWN, "support")?.as_ref(), &support)?;
        self.triple(&subject, word(OWN, "score")?.as_ref(), &Literal::from(concept.score))?;
        for aligned in &concept.aligned {
            // What a scheme's file calls a URI may be none.
            let Ok(other) = iri(&aligned.uri) else { continue };
            let how = if aligned.how == Step::Spelled { "exactMatch" } else { "closeMatch" };
            self.triple(&subject, word(SKOS, how)?.as_ref(), &other)?;
        }
        Ok(())
    }

    fn relation(&mut self, relation: &Relation) -> io::Result<()> {
        let (broader, narrower) =
            (self.concept_iri(&relation.broader)?, self.concept_iri(&relation.narrower)?);
        self.triple(&narrower, word(SKOS, "broader")?.as_ref(), &broader)?;
        self.triple(&broader, word(SKOS, "narrower")?.as_ref(), &narrower)?;
        let (a, b) = (encoded(&relation.broader), encoded(&relation.narrower));
        let subject = iri(&format!("{}relation:{a}/{b}", self.base))?;
        self.triple(&subject, rdf::TYPE, &word(OWN, "Relation")?)?;
        self.triple(&subject, word(OWN, "broader")?.as_ref(), &broader)?;
        self.triple(&subject, word(OWN, "narrower")?.as_ref(), &narrower)?;
        self.triple(&subject, word(OWN, "level")?.as_ref(), &Literal::from(u32::from(relation.level)))?;
        for site in &relation.sites {
            self.triple(&subject, word(OWN, "site")?.as_ref(), &text(site.as_str(), None))?;
        }
        Ok(())
    }

    /// Writes an article, the concepts that it is filed under, by key, and its places in its site's own scheme, which says how
    /// these lie in each other. Returns false for an article whose URL is not an IRI, which is left out. Articles come ordered by
    /// site.
    ///
    /// # Errors
    /// When writing fails.
    pub fn article(
        &mut self,
        article: &Article,
        concepts: &BTreeSet<String>,
        places: &[Place],
        scheme: Option<&SiteScheme>,
    ) -> io::Result<bool> {
        let Ok(subject) = page_iri(&article.url) else { return Ok(false) };
        if self.site != article.site {
            article.site.clone_into(&mut self.site);
            self.places.clear();
            self.tree = scheme.map(broader_places).unwrap_or_default();
        }
        let places: BTreeSet<NamedNode> =
            places.iter().map(|place| self.place(&article.site, place)).collect::<io::Result<_>>()?;
        self.triple(&subject, rdf::TYPE, &word(SCHEMA, "NewsArticle")?)?;
        let language = article.language.as_deref();
        if let Some(title) = &article.title {
            self.triple(&subject, word(SCHEMA, "headline")?.as_ref(), &text(title, language))?;
        }
        for (name, date) in [("datePublished", &article.published), ("dateModified", &article.modified)] {
            if let Some(date) = date {
                self.triple(&subject, word(SCHEMA, name)?.as_ref(), &dated(date))?;
            }
        }
        for author in &article.authors {
            self.triple(&subject, word(SCHEMA, "author")?.as_ref(), &text(author, None))?;
        }
        if let Some(language) = language {
            self.triple(&subject, word(SCHEMA, "inLanguage")?.as_ref(), &text(language, None))?;
        }
        if let Some(section) = &article.section {
            self.triple(&subject, word(SCHEMA, "articleSection")?.as_ref(), &text(section, language))?;
        }
        if let Some(description) = &article.description {
            self.triple(&subject, word(SCHEMA, "description")?.as_ref(), &text(description, language))?;
        }
        for keyword in &article.keywords {
            self.triple(&subject, word(SCHEMA, "keywords")?.as_ref(), &text(keyword, None))?;
        }
        if let Some(licence) = &article.licence {
            self.triple(&subject, word(SCHEMA, "license")?.as_ref(), &text(licence, None))?;
        }
        if let Some(access) = article.access {
            let is_free = Literal::from(access == Access::Free);
            self.triple(&subject, word(SCHEMA, "isAccessibleForFree")?.as_ref(), &is_free)?;
        }
        for key in concepts {
            let concept = self.concept_iri(key)?;
            self.triple(&subject, word(SCHEMA, "about")?.as_ref(), &concept)?;
        }
        for place in &places {
            self.triple(&subject, word(DCT, "subject")?.as_ref(), place)?;
        }
        Ok(true)
    }

    /// The IRI of a place, which is written if it was not yet, with those within which it lies and the scheme of its site. One
    /// address, or one name without an address, is one place.
    fn place(&mut self, site: &str, place: &Place) -> io::Result<NamedNode> {
        let scheme = iri(&format!("{}scheme:{}", self.base, encoded(site)))?;
        if self.places.is_empty() {
            self.triple(&scheme, rdf::TYPE, &word(SKOS, "ConceptScheme")?)?;
            self.triple(&scheme, word(OWN, "site")?.as_ref(), &text(site, None))?;
        }
        let subject = self.place_iri(site, &place_name(place))?;
        // The way up ends at a place that was written: trees have no circles.
        let mut next = Some(place.clone());
        while let Some(place) = next.take_if(|place| self.places.insert(place_name(place))) {
            let name = place_name(&place);
            let subject = self.place_iri(site, &name)?;
            self.triple(&subject, rdf::TYPE, &word(SKOS, "Concept")?)?;
            self.triple(&subject, word(SKOS, "inScheme")?.as_ref(), &scheme)?;
            self.triple(&subject, word(SKOS, "prefLabel")?.as_ref(), &text(&place.label, None))?;
            let kind = match place.kind {
                PlaceKind::Section => "section",
                PlaceKind::Tag => "tag",
            };
            self.triple(&subject, word(OWN, "kind")?.as_ref(), &text(kind, None))?;
            if let Some(page) = place.address.as_ref().and_then(|address| page_iri(address).ok()) {
                self.triple(&subject, word(SCHEMA, "url")?.as_ref(), &page)?;
            }
            match self.tree.get(&name).cloned() {
                Some(above) => {
                    self.place_relation(site, &name, &place_name(&above))?;
                    next = Some(above);
                }
                None => self.triple(&subject, word(SKOS, "topConceptOf")?.as_ref(), &scheme)?,
            }
        }
        Ok(subject)
    }

    /// That a place of a site lies within another one, by names, and its proof.
    fn place_relation(&mut self, site: &str, narrower: &str, broader: &str) -> io::Result<()> {
        let (below, above) = (self.place_iri(site, narrower)?, self.place_iri(site, broader)?);
        self.triple(&below, word(SKOS, "broader")?.as_ref(), &above)?;
        self.triple(&above, word(SKOS, "narrower")?.as_ref(), &below)?;
        let (site, broader, narrower) = (text(site, None), encoded(broader), encoded(narrower));
        let name = encoded(site.value());
        let subject = iri(&format!("{}relation:place:{name}/{broader}/{narrower}", self.base))?;
        self.triple(&subject, rdf::TYPE, &word(OWN, "Relation")?)?;
        self.triple(&subject, word(OWN, "broader")?.as_ref(), &above)?;
        self.triple(&subject, word(OWN, "narrower")?.as_ref(), &below)?;
        self.triple(&subject, word(OWN, "level")?.as_ref(), &Literal::from(1_u32))?;
        self.triple(&subject, word(OWN, "site")?.as_ref(), &site)
    }

    fn place_iri(&self, site: &str, name: &str) -> io::Result<NamedNode> {
        iri(&format!("{}place:{}/{}", self.base, encoded(site), encoded(name)))
    }

    /// Writes an instance that is no article: its page's attributes, and the concepts it is listed under.
    /// Returns false for one whose URL is not an IRI, which is left out.
    ///
    /// # Errors
    /// When writing fails.
    pub fn instance(&mut self, instance: &ConceptInstance) -> io::Result<bool> {
        let url = instance.url.as_str();
        let Ok(subject) = page_iri(url) else { return Ok(false) };
        self.triple(&subject, rdf::TYPE, &word(SCHEMA, "WebPage")?)?;
        for key in &instance.concepts {
            let concept = self.concept_iri(key)?;
            self.triple(&subject, word(SCHEMA, "about")?.as_ref(), &concept)?;
        }
        for (number, (label, values)) in properties(instance).into_iter().enumerate() {
            let property = iri(&format!("{}attribute:{}/{number}", self.base, encoded(url)))?;
            self.triple(&subject, word(SCHEMA, "additionalProperty")?.as_ref(), &property)?;
            self.triple(&property, rdf::TYPE, &word(SCHEMA, "PropertyValue")?)?;
            self.triple(&property, word(SCHEMA, "name")?.as_ref(), &text(label, None))?;
            for value in values {
                self.triple(&property, word(SCHEMA, "value")?.as_ref(), &text(value, None))?;
            }
        }
        Ok(true)
    }

    /// Ends the document.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(self) -> io::Result<W> {
        match self.out {
            Serializer::Turtle(out) => out.finish(),
            Serializer::Xml(out) => out.finish(),
        }
    }

    fn concept_iri(&self, key: &str) -> io::Result<NamedNode> {
        iri(&format!("{}concept:{}", self.base, encoded(key)))
    }

    fn triple<'a>(
        &mut self,
        subject: &'a NamedNode,
        predicate: NamedNodeRef<'a>,
        object: impl Into<TermRef<'a>>,
    ) -> io::Result<()> {
        let triple = TripleRef::new(NamedOrBlankNodeRef::from(subject), predicate, object);
        match &mut self.out {
            Serializer::Turtle(out) => out.serialize_triple(triple),
            Serializer::Xml(out) => out.serialize_triple(triple),
        }
    }
}

/// By what a place of a site is known: its address, or its name without one.
fn place_name(place: &Place) -> String {
    place.address.clone().unwrap_or_else(|| folded(&place.label))
}

/// The place within which each place of a scheme lies, by [`place_name`].
fn broader_places(scheme: &SiteScheme) -> BTreeMap<String, Place> {
    let places = scheme.places().iter().enumerate();
    let broader = places.filter_map(|(at, place)| Some((place, scheme.broader(at)?.0)));
    broader.map(|(place, above)| (place_name(&place.to_place()), above.to_place())).collect()
}

/// The attributes of an instance with their values, bounded in number: its page's pairs by label, then what the
/// instance template reads under other labels. Pairs come first because the template takes all that follows a label
/// for its values.
fn properties(instance: &ConceptInstance) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for pair in &instance.pairs {
        let at = *known.entry(pair.label.to_lowercase()).or_insert(found.len());
        if at == found.len() {
            found.push((&pair.label, Vec::new()));
        }
        found[at].1.push(&pair.value);
    }
    for own in &instance.attributes {
        let Some(label) = own.label.as_deref() else { continue };
        if !known.contains_key(&label.to_lowercase()) {
            found.push((label, own.values.iter().map(String::as_str).collect()));
        }
    }
    found.truncate(MOST_PROPERTIES);
    found.iter_mut().for_each(|(_, values)| values.truncate(MOST_PROPERTIES));
    found
}

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

fn iri(text: &str) -> io::Result<NamedNode> {
    NamedNode::new(text).map_err(invalid)
}

fn word(vocabulary: &str, name: &str) -> io::Result<NamedNode> {
    iri(&format!("{vocabulary}{name}"))
}

/// The IRI of a page's URL: browsers allow characters there that IRIs do not.
fn page_iri(url: &str) -> io::Result<NamedNode> {
    let mut strict = String::with_capacity(url.len());
    for char in url.chars() {
        match char {
            '\0'..=' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => {
                strict.push_str(&format!("%{:02X}", u32::from(char)));
            }
            _ => strict.push(char),
        }
    }
    iri(&strict)
}

/// Percent-encodes the UTF-8 bytes of everything but RFC 3986's unreserved characters.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Without control characters, which XML 1.0 forbids: the graph is the same in both forms.
fn writable(value: &str) -> String {
    let is_out = |letter: char| matches!(letter, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}');
    value.replace(is_out, "\u{FFFD}")
}

/// A string, tagged with its language if that is known ("und" and the like are not written).
fn text(value: &str, language: Option<&str>) -> Literal {
    let value = writable(value);
    let tagged = language.filter(|tag| !tag.is_empty() && *tag != "und");
    let tagged = tagged.and_then(|tag| Literal::new_language_tagged_literal(value.as_str(), tag).ok());
    tagged.unwrap_or_else(|| Literal::new_simple_literal(value))
}

/// A date or a time with its type if it has the form of one; else a plain string.
fn dated(value: &str) -> Literal {
    match date_type(value) {
        Some("date") => Literal::new_typed_literal(value, xsd::DATE),
        Some(_) => Literal::new_typed_literal(value, xsd::DATE_TIME),
        None => Literal::new_simple_literal(value),
    }
}

#[cfg(test)]
mod tests;
