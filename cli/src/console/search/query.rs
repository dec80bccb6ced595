//! Asks the index for the words that a person means.

use tantivy::Term;
use tantivy::query::{AllQuery, BooleanQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use crate::filter::phrases::{QueryPart, WordQuery};

/// The query; `None` if it holds no word.
pub(super) fn index_query(wanted: &WordQuery, field: Field) -> Option<Box<dyn Query>> {
    let occur = |part: &QueryPart| if part.is_excluded { Occur::MustNot } else { Occur::Must };
    let clause = |part: &QueryPart| Some((occur(part), part_query(part, field)?));
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = wanted.parts.iter().filter_map(clause).collect();
    if clauses.is_empty() {
        return None;
    }
    if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
        clauses.push((Occur::Must, Box::new(AllQuery)));
    }
    Some(Box::new(BooleanQuery::new(clauses)))
}

fn part_query(part: &QueryPart, field: Field) -> Option<Box<dyn Query>> {
    let term = |word: &String| Term::from_field_text(field, word);
    match part.words.as_slice() {
        [] => None,
        [word] if part.is_beginning => Some(Box::new(FuzzyTermQuery::new_prefix(term(word), 0, false))),
        [word] => Some(Box::new(TermQuery::new(term(word), IndexRecordOption::Basic))),
        words => Some(Box::new(PhraseQuery::new(words.iter().map(term).collect()))),
    }
}
