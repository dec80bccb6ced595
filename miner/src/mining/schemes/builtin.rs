//! Schemes that come with the product: topics, regions, genres, and the furniture of sites.
//!
//! Three are Turtle that people write, in `miner/schemes`. Regions are written from Unicode CLDR by `miner/schemes/regions.py`,
//! with additions of ours, and packed, since they have names in hundreds of languages. A scheme is read when it is first asked
//! for. Labels were chosen by what sites in general call their sections, and not by measuring. Start at [`Builtin`].

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use newslode_common::compression::decompress;

use super::lookup::Facet;
use super::read::read;
use super::results::{Format, Limits, ReadError};
use super::scheme::Scheme;

const TOPICS: &str = include_str!("../../../schemes/topics.ttl");
const GENRES: &str = include_str!("../../../schemes/genres.ttl");
const HOUSE: &str = include_str!("../../../schemes/house.ttl");
const REGIONS: &[u8] = include_bytes!("../../../schemes/regions.ttl.zst");
/// More than the regions have unpacked, in bytes.
const MOST_REGIONS: u64 = 16 << 20;

/// A scheme that comes with the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Builtin {
    /// Subjects of news, in twelve languages.
    Topics,
    /// Continents, countries and territories, in all languages of CLDR.
    Regions,
    /// Forms of articles, such as interview, opinion and video, in twelve languages.
    Genres,
    /// Labels that name nothing of a story, in twelve languages.
    House,
}

impl Builtin {
    /// All of them. A label that several know means the first of these.
    pub const ALL: [Builtin; 4] = [Builtin::Topics, Builtin::Regions, Builtin::Genres, Builtin::House];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Topics => "topics",
            Builtin::Regions => "regions",
            Builtin::Genres => "genres",
            Builtin::House => "house",
        }
    }

    /// The scheme of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Builtin> {
        Builtin::ALL.into_iter().find(|one| one.name() == name)
    }

    /// What its concepts are to a news site.
    #[must_use]
    pub fn facet(self) -> Facet {
        match self {
            Builtin::Topics => Facet::Subject,
            Builtin::Regions => Facet::Region,
            Builtin::Genres => Facet::Genre,
            Builtin::House => Facet::Furniture,
        }
    }

    /// Its source in Turtle.
    ///
    /// # Errors
    /// When it cannot be unpacked: the program is damaged.
    pub fn turtle(self) -> Result<Cow<'static, str>, ReadError> {
        match self {
            Builtin::Topics => Ok(TOPICS.into()),
            Builtin::Genres => Ok(GENRES.into()),
            Builtin::House => Ok(HOUSE.into()),
            Builtin::Regions => {
                let text = decompress(REGIONS, MOST_REGIONS)
                    .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other));
                text.map(Cow::Owned).map_err(|source| ReadError::Io { file: self.name().to_owned(), source })
            }
        }
    }

    /// The scheme, read when it is first asked for.
    ///
    /// # Errors
    /// When it cannot be read: the program is damaged.
    pub fn scheme(self) -> Result<Arc<Scheme>, ReadError> {
        static READ: [OnceLock<Arc<Scheme>>; 4] = [const { OnceLock::new() }; 4];
        let own = &READ[self as usize];
        if let Some(scheme) = own.get() {
            return Ok(Arc::clone(scheme));
        }
        let turtle = self.turtle()?;
        let mut schemes = read(self.name(), Format::Turtle, turtle.as_bytes(), &Limits::default())?.schemes;
        let one = schemes.pop().filter(|_| schemes.is_empty());
        let one = one.ok_or_else(|| ReadError::NoConcepts { file: self.name().to_owned(), statements: 0 })?;
        Ok(Arc::clone(own.get_or_init(|| Arc::new(one))))
    }
}
