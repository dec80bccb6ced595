//! The schemes that are configured: read from their files when they are first needed.
//!
//! A process that mines reads them at its start ([`ConfiguredSchemes::set`]), so that it does not begin with a file that is
//! wrong. One that only shows what was mined reads them if somebody asks for codes. Start at [`ConfiguredSchemes`].

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use newslode_common::config::{BuiltinScheme, MinerConfig};

use crate::mining::schemes::{
    Builtin, Facet, Format, KnownLabels, Limits, NamedScheme, ReadError, Scheme, SchemeSet, read,
};

/// Why the configured schemes cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemeSetError {
    /// A file cannot be opened.
    #[error("cannot read the scheme `{}`; check its path in `miner.schemes` or `--scheme`", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// A file is no scheme.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Two schemes have one name.
    #[error("two schemes are called `{name}`, the second one in `{}`; the name is that of the file: rename it", file.display())]
    SameName {
        /// The name.
        name: String,
        /// The second file.
        file: PathBuf,
    },
}

impl From<BuiltinScheme> for Builtin {
    fn from(configured: BuiltinScheme) -> Builtin {
        match configured {
            BuiltinScheme::Topics => Builtin::Topics,
            BuiltinScheme::Regions => Builtin::Regions,
            BuiltinScheme::Genres => Builtin::Genres,
            BuiltinScheme::House => Builtin::House,
        }
    }
}

/// The schemes that are configured, which are read when they are first needed.
#[derive(Debug, Default)]
pub struct ConfiguredSchemes {
    files: Vec<PathBuf>,
    builtin: Vec<Builtin>,
    /// Whether they count instead of those by which the taxonomy was made.
    is_override: bool,
    loaded: Mutex<Option<Arc<SchemeSet>>>,
}

impl ConfiguredSchemes {
    /// The schemes in these files, and those that come with the product.
    #[must_use]
    pub fn new(files: Vec<PathBuf>, builtin: &[BuiltinScheme]) -> ConfiguredSchemes {
        let mut builtin: Vec<Builtin> = builtin.iter().map(|one| Builtin::from(*one)).collect();
        builtin.sort_unstable();
        ConfiguredSchemes { files, builtin, ..ConfiguredSchemes::default() }
    }

    /// The schemes of a configuration.
    #[must_use]
    pub fn of_config(config: &MinerConfig) -> ConfiguredSchemes {
        ConfiguredSchemes::new(config.schemes.iter().map(PathBuf::from).collect(), &config.builtin_schemes)
    }

    /// The same, for somebody who asks what a taxonomy is in these schemes, and not in those by which it was made.
    #[must_use]
    pub fn overriding(self) -> ConfiguredSchemes {
        ConfiguredSchemes { is_override: true, ..self }
    }

    /// Whether they count instead of those by which the taxonomy was made.
    #[must_use]
    pub fn is_override(&self) -> bool {
        self.is_override
    }

    /// What those schemes know of labels that come with the product and are switched on. This reads no file.
    ///
    /// # Errors
    /// When one cannot be read: the program is damaged.
    pub fn known(&self) -> Result<KnownLabels, SchemeSetError> {
        let read = self.builtin.iter().map(|one| Ok((one.scheme()?, one.facet())));
        Ok(KnownLabels::of(read.collect::<Result<_, ReadError>>()?))
    }

    /// The schemes. Reading them takes a second for each 50 MB, so this is not for threads that serve others.
    ///
    /// # Errors
    /// When a file cannot be read, or two schemes have one name.
    pub fn set(&self) -> Result<Arc<SchemeSet>, SchemeSetError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = &*loaded {
            return Ok(Arc::clone(set));
        }
        let mut names: BTreeSet<String> = self.builtin.iter().map(|one| one.name().to_owned()).collect();
        let mut outside = Vec::new();
        for file in &self.files {
            for scheme in read_file(file)? {
                if !names.insert(scheme.name.clone()) {
                    return Err(SchemeSetError::SameName { name: scheme.name, file: file.clone() });
                }
                outside.push(scheme);
            }
        }
        let builtin = self.builtin.iter().map(|one| Ok((*one, one.scheme()?)));
        let set = Arc::new(SchemeSet::new(outside, builtin.collect::<Result<_, ReadError>>()?));
        *loaded = Some(Arc::clone(&set));
        Ok(set)
    }
}

/// Reads the schemes of a file and names them after it. If it holds several, the last part of each URI follows the file's name.
fn read_file(file: &Path) -> Result<Vec<NamedScheme>, SchemeSetError> {
    let shown = file.display().to_string();
    let format = Format::of_name(&shown)?;
    let opened = File::open(file).map_err(|source| SchemeSetError::Open { file: file.to_owned(), source })?;
    // A scheme that the file does not declare is called like the file, wherever that is.
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let found = read(&name, format, BufReader::new(opened), &Limits::default());
    let found = found.map_err(|error| error.in_file(&shown))?;
    if found.notes.iter().next().is_some() {
        tracing::info!(file = %shown, "not all of a scheme was taken as it is: {}", found.notes);
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_one = found.schemes.len() == 1;
    let last_part = |scheme: &Scheme| {
        let uri = scheme.uri().trim_end_matches(['/', '#']);
        uri.rsplit(['/', '#', ':']).next().unwrap_or_default().to_owned()
    };
    let named = found.schemes.into_iter().map(|scheme| NamedScheme {
        name: if is_one { stem.clone() } else { format!("{stem}/{}", last_part(&scheme)) },
        facet: Facet::Subject,
        scheme: Arc::new(scheme),
    });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix x: <https://thesaurus.test/> .\n";

    fn set_of(files: &[(&str, &str)], builtin: &[BuiltinScheme]) -> Result<Arc<SchemeSet>, SchemeSetError> {
        let folder = tempfile::tempdir().unwrap();
        let write = |(name, text): &(&str, &str)| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, format!("{HEAD}{text}")).unwrap();
            file
        };
        ConfiguredSchemes::new(files.iter().map(write).collect(), builtin).set()
    }

    #[test]
    fn schemes_are_named_after_their_files() {
        let two = "x:a a skos:ConceptScheme . x:b a skos:ConceptScheme . x:c skos:inScheme x:a ; skos:prefLabel 'c' .
            x:d skos:inScheme x:b ; skos:prefLabel 'd' .";
        let one = "x:e skos:prefLabel 'e'@en .";
        let set = set_of(&[("two.ttl", two), ("one.nt.ttl", one)], &[BuiltinScheme::House]).unwrap();
        assert_eq!(set.names(), ["two/a", "two/b", "one.nt", "house"]);
        assert_eq!(set.builtin().len(), 1);
        assert_eq!(set.index().len(), 4);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_file_and_a_remedy() {
        let concept = "x:e skos:prefLabel 'e'@en .";
        let check = |files: &[(&str, &str)], wanted: &[&str]| {
            let error = set_of(files, &BuiltinScheme::ALL).unwrap_err().to_string();
            assert!(wanted.iter().all(|word| error.contains(word)), "{error}");
        };
        check(&[("a/x.ttl", concept), ("b/x.ttl", concept)], &["two schemes are called `x`", "rename"]);
        check(&[("topics.ttl", concept)], &["two schemes are called `topics`", "rename"]);
        check(&[("x.csv", concept)], &["x.csv`", "rename it to end in"]);
        check(&[("x.ttl", "x:e x:e")], &["x.ttl`, line 2,", "convert"]);
        let missing = ConfiguredSchemes::new(vec!["nowhere.ttl".into()], &[]).set().unwrap_err().to_string();
        assert!(missing.contains("`nowhere.ttl`") && missing.contains("`miner.schemes`"), "{missing}");
    }

    #[test]
    fn the_digest_follows_names_content_and_what_is_on() {
        let (one, other) = ("x:e skos:prefLabel 'e'@en .", "x:e skos:prefLabel 'f'@en .");
        let digest = |files: &[(&str, &str)], builtin: &[BuiltinScheme]| {
            set_of(files, builtin).unwrap().digest().to_owned()
        };
        let all = [
            digest(&[("a.ttl", one)], &[]),
            digest(&[("b.ttl", one)], &[]),
            digest(&[("a.ttl", other)], &[]),
            digest(&[("a.ttl", one)], &[BuiltinScheme::House]),
            digest(&[], &[]),
        ];
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        // Neither the place of the file nor a comment changes anything, and neither does the order in which built-in ones are named.
        assert_eq!(digest(&[("a.ttl", &format!("# as it was\n{one}"))], &[]), all[0]);
        let (house, genres) = (BuiltinScheme::House, BuiltinScheme::Genres);
        assert_eq!(digest(&[], &[house, genres]), digest(&[], &[genres, house]));
        assert_eq!(all[4], "");
    }
}
