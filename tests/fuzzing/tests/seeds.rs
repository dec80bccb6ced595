//! Every seed of every fuzz target passes on stable Rust, and so do mutated seeds of schemes. Inputs that once broke something are
//! among the seeds.

use std::path::Path;

use newslode_fuzzing::TARGETS;

#[test]
fn every_target_has_seeds_and_every_seed_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, check) in TARGETS {
        let folder = root.join("seeds").join(name);
        let files =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let files: Vec<_> = files.map(|file| file.expect("a readable folder").path()).collect();
        assert!(files.len() >= 3, "{name} has only {} seeds", files.len());
        for file in files {
            let bytes = std::fs::read(&file).expect("a readable file");
            // A failure names the seed.
            println!("{}", file.display());
            check(&bytes);
        }
        let target = root.join("fuzz_targets").join(format!("{name}.rs"));
        assert!(target.is_file(), "{} is missing", target.display());
    }
}

/// What mutations insert: words of the syntaxes of schemes, and letters that change their number when their case does.
const WORDS: [&str; 40] = [
    "@prefix ",
    "@base ",
    "PREFIX ",
    "skos:broader ",
    "skos:narrower ",
    "skos:prefLabel ",
    "skos:altLabel ",
    "skos:notation ",
    "skos:Concept ",
    "skos:inScheme ",
    "a ",
    "<urn:a> ",
    "<#b> ",
    "<",
    ">",
    "_:b ",
    "[",
    "]",
    "(",
    ")",
    ".",
    ";",
    ",",
    "^^",
    "@en ",
    "\"",
    "\"\"\"",
    "'",
    "\\u0000",
    "\\U0010FFFF",
    "&#x0;",
    "&amp;",
    "<!--",
    "rdf:about=\"\"",
    "xml:lang=\"\"",
    "{\"@id\":",
    "\"@graph\":[",
    "\"@context\":",
    "\u{130}ẞ",
    "e\u{301}",
];

/// A generator of numbers that follow from its seed.
struct Numbers(u64);

impl Numbers {
    /// A number below this one, which is not zero.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// A range of at most this many bytes within a text.
    fn range(&mut self, text: &[u8], most: usize) -> std::ops::Range<usize> {
        let begin = self.below(text.len() + 1);
        begin..(begin + self.below(most)).min(text.len())
    }
}

/// Changes a few places of a seed. `other` is another seed.
fn mutated(seed: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(6) {
        let range = numbers.range(&bytes, 40);
        let at = range.start;
        match numbers.below(6) {
            0 => drop(bytes.splice(at..at, WORDS[numbers.below(WORDS.len())].bytes())),
            1 => drop(bytes.drain(range)),
            2 => {
                let again = bytes[range].to_vec();
                let to = numbers.below(bytes.len() + 1);
                drop(bytes.splice(to..to, again));
            }
            3 => {
                let part = other[numbers.range(other, 120)].to_vec();
                drop(bytes.splice(range, part));
            }
            4 => drop(bytes.splice(range, WORDS[numbers.below(WORDS.len())].bytes())),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << numbers.below(8)),
        }
    }
    bytes
}

/// Without a fuzzer: `NEWSLODE_MUTATIONS` says how many inputs are tried, and `NEWSLODE_MUTATIONS_SEED` which.
#[test]
fn mutated_seeds_of_schemes_pass() {
    let number = |name: &str, usual: u64| -> u64 {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/scheme");
    let files = std::fs::read_dir(folder).expect("seeds");
    let mut files: Vec<_> = files.map(|file| file.expect("a readable folder").path()).collect();
    files.sort();
    let seeds: Vec<Vec<u8>> =
        files.iter().map(|file| std::fs::read(file).expect("a readable file")).collect();
    let mut numbers = Numbers(number("NEWSLODE_MUTATIONS_SEED", 7).wrapping_mul(2).wrapping_add(1));
    for _ in 0..number("NEWSLODE_MUTATIONS", 2_000) {
        let (seed, other) = (numbers.below(seeds.len()), numbers.below(seeds.len()));
        let input = mutated(&seeds[seed], &seeds[other], &mut numbers);
        let passed = std::panic::catch_unwind(|| newslode_fuzzing::scheme(&input));
        assert!(passed.is_ok(), "{:?}", String::from_utf8_lossy(&input));
    }
}
