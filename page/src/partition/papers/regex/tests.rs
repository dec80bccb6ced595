//! Sequences as input, expressions as output.

use proptest::prelude::*;

use super::*;

impl Expressions {
    /// The expression in usual notation; letters are the symbols of the sequence.
    fn show(&self, symbol: u32) -> String {
        match symbol.checked_sub(self.first) {
            None => char::from(b'a' + symbol as u8).to_string(),
            Some(at) => {
                let body: String = self.bodies[at as usize].iter().map(|slot| self.show_slot(slot)).collect();
                if body.chars().count() == 1 { format!("{body}*") } else { format!("({body})*") }
            }
        }
    }

    fn show_slot(&self, slot: &PatternSlot) -> String {
        let all: Vec<String> = slot.symbols.iter().map(|&symbol| self.show(symbol)).collect();
        let one = if all.len() == 1 { all.concat() } else { format!("({})", all.join("|")) };
        if slot.is_optional { format!("{one}?") } else { one }
    }
}

fn letters(text: &str) -> Vec<u32> {
    text.bytes().map(|byte| u32::from(byte - b'a')).collect()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let folded = infer_groups(&letters(text), &mut u64::MAX.clone());
    let shown: String = folded.symbols.iter().map(|&symbol| folded.expressions.show(symbol)).collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn the_papers_example() {
    check("ghijhikhijhilhijhik", "g(hijhi(k|l))*");
}

#[test]
fn what_repeats_is_folded_from_inside_out() {
    check("", "");
    check("abc", "abc");
    check("aaa", "a*");
    check("haab", "ha*b");
    check("haabhaaabhab", "(ha*b)*");
}

#[test]
fn instances_may_differ_by_a_third() {
    check("abcabdabc", "(ab(c|d))*");
    check("abdeabcde", "(abc?de)*");
    check("abab", "(ab)*");
    check("abac", "abac");
}

#[test]
fn instances_keep_their_leaves() {
    let folded = infer_groups(&letters("xabab"), &mut 1_000_000);
    assert_eq!(folded.top.len(), 2);
    assert_eq!(folded.parts[folded.top[1]], FoldedPart::Group(vec![vec![1, 2], vec![3, 4]]));
}

#[test]
fn without_steps_the_sequence_stays_as_it_is_and_says_so() {
    let folded = infer_groups(&letters("abab"), &mut 1);
    assert!(folded.is_cut);
    assert_eq!(folded.top.len(), 4);
}

/// The leaves of a folded sequence, in order.
fn leaves(folded: &Folding) -> Vec<usize> {
    let mut leaves = Vec::new();
    let mut todo: Vec<usize> = folded.top.iter().rev().copied().collect();
    while let Some(part) = todo.pop() {
        match &folded.parts[part] {
            FoldedPart::Leaf(leaf) => leaves.push(*leaf),
            FoldedPart::Group(instances) => todo.extend(instances.iter().flatten().rev()),
        }
    }
    leaves
}

/// Records with optional and repeated parts, as on pages.
fn records() -> impl Strategy<Value = Vec<u32>> {
    let record = (any::<bool>(), 0usize..3, 0u32..3).prop_map(|(has_note, links, end)| {
        let mut record = vec![4, 5];
        record.extend(has_note.then_some(6));
        record.extend(std::iter::repeat_n(7, links));
        record.push(end);
        record
    });
    prop::collection::vec(record, 0..6).prop_map(|records| records.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn fast_is_plain(symbols in prop_oneof![records(), prop::collection::vec(0u32..4, 0..24)]) {
        let fast = infer_groups(&symbols, &mut u64::MAX.clone());
        prop_assert_eq!(leaves(&fast), (0..symbols.len()).collect::<Vec<_>>());
        prop_assert_eq!(fast, plain::infer_groups(&symbols));
    }
}
