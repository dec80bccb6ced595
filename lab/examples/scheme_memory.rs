//! How much memory a scheme of a million concepts takes: makes N-Triples of so many, reads them, indexes their labels, and says
//! the most that the process ever held. Nothing is written to disk.
//!
//! `cargo run -p newslode-lab --example scheme_memory [CONCEPTS]`, on Linux. Each concept has a URI of 40 bytes, a preferred
//! label and an alternative one in English, a preferred one in German, a notation and a broader concept.
#![allow(clippy::print_stdout, missing_docs)]

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use newslode_miner::mining::schemes::{Facet, Format, Limits, SchemeIndex, read};

/// N-Triples that are made as they are read.
struct Made {
    concepts: u64,
    next: u64,
    text: Vec<u8>,
    at: usize,
}

impl Read for Made {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.at == self.text.len() && self.next < self.concepts {
            let (own, above) = (self.next, self.next / 8);
            let node = |number: u64| format!("<http://example.org/thesaurus/c_{number:010}>");
            let skos = |name: &str| format!("<http://www.w3.org/2004/02/skos/core#{name}>");
            let kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
            let node_own = node(own);
            self.text = format!(
                "{node_own} {kind} {} .\n{node_own} {} \"Concept number {own}\"@en .\n{node_own} {} \"Other name of {own}\"@en .\n\
                 {node_own} {} \"Begriff der Zahl {own}\"@de .\n{node_own} {} \"{own}\" .\n{node_own} {} {} .\n",
                skos("Concept"),
                skos("prefLabel"),
                skos("altLabel"),
                skos("prefLabel"),
                skos("notation"),
                skos("broader"),
                node(above),
            )
            .into_bytes();
            self.at = 0;
            self.next += 1;
        }
        let bytes = buffer.len().min(self.text.len() - self.at);
        buffer[..bytes].copy_from_slice(&self.text[self.at..self.at + bytes]);
        self.at += bytes;
        Ok(bytes)
    }
}

/// Megabytes that the process held at most.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes / 1_000)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let concepts = std::env::args().nth(1).map_or(Ok(1_000_000), |given| given.parse())?;
    let shown =
        |peak: Option<u64>| peak.map_or_else(|| "unknown".to_owned(), |megabytes| format!("{megabytes} MB"));
    let start = Instant::now();
    let made = Made { concepts, next: 0, text: Vec::new(), at: 0 };
    let mut schemes = read("made.nt", Format::NTriples, made, &Limits::default())?.schemes;
    let scheme = schemes.pop().ok_or("no scheme")?;
    println!(
        "{} concepts, {} labels: read in {:.1?}, at most {}",
        scheme.len(),
        scheme.label_count(),
        start.elapsed(),
        shown(peak())
    );
    let start = Instant::now();
    let index = SchemeIndex::new(vec![(Arc::new(scheme), Facet::Subject)]);
    println!("indexed in {:.1?}, at most {}", start.elapsed(), shown(peak()));
    println!("{} found for `concepts number 77`", index.find("concepts number 77", Some("en")).len());
    Ok(())
}
