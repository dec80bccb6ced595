//! The languages of the world and the words of each: for menus and footers, people, and sentences.
//!
//! Most sites are English. The others bring other alphabets, text without spaces, and writing from right to left. A
//! [`Pack`] is data only. Sentences are templates with slots in braces; `text.rs` explains the slots.

mod arabic;
mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod portuguese;
mod russian;
mod spanish;
mod words;

pub(crate) use words::Words;

/// A language in which sites of the world are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// `en`
    English,
    /// `de`
    German,
    /// `es`
    Spanish,
    /// `ru`
    Russian,
    /// `ja`
    Japanese,
    /// `fr`
    French,
    /// `pt`
    Portuguese,
    /// `ar`
    Arabic,
    /// `zh`
    Chinese,
}

/// The words around stories, and those that stories are made of.
#[derive(Debug)]
pub struct Pack {
    /// ISO 639-1 code.
    pub code: &'static str,
    /// January to December, in the form that dates use.
    pub months: [&'static str; 12],
    /// Monday to Sunday.
    pub weekdays: [&'static str; 7],
    /// Words of menus, boxes and footers.
    pub ui: Ui,
    /// Given names.
    pub first_names: &'static [&'static str],
    /// Family names.
    pub last_names: &'static [&'static str],
    /// Towns.
    pub cities: &'static [&'static str],
    /// Roles of the people quoted.
    pub roles: &'static [&'static str],
    /// Their employers.
    pub bodies: &'static [&'static str],
    /// Headlines with slots.
    pub headlines: &'static [&'static str],
    /// Sentences with slots.
    pub sentences: &'static [&'static str],
    /// Readers' comments.
    pub comments: &'static [&'static str],
    /// Names of newspapers, each with the first label of its host.
    pub mastheads: &'static [(&'static str, &'static str)],
}

/// The words of menus, boxes and footers.
#[derive(Debug)]
pub struct Ui {
    /// Link to the home page.
    pub home: &'static str,
    /// Heading of the lead stories.
    pub top_stories: &'static str,
    /// Link after a section box.
    pub more: &'static str,
    /// Heading of the most-read box.
    pub most_read: &'static str,
    /// Heading of related links.
    pub related: &'static str,
    /// Heading of readers' comments.
    pub comments: &'static str,
    /// Before the author's name, with a trailing space if the language has spaces; may be empty.
    pub by: &'static str,
    /// Between two authors.
    pub and: &'static str,
    /// Heading over advertisements.
    pub advertisement: &'static str,
    /// Texts of advertisements.
    pub ads: &'static [&'static str],
    /// Link to the next page of a list.
    pub next: &'static str,
    /// Heading over the share links.
    pub share: &'static str,
    /// Cookie banner and its button.
    pub cookies: (&'static str, &'static str),
    /// Newsletter box and its button.
    pub newsletter: (&'static str, &'static str),
    /// Caption of a photograph, with the slot `{city}`.
    pub caption: &'static str,
    /// Footer links: text and path.
    pub footer: &'static [(&'static str, &'static str)],
    /// Utility pages that are not news sections: text and path.
    pub utility: &'static [(&'static str, &'static str)],
    /// Sentences of pages about the site, with the slot `{name}`.
    pub about: &'static [&'static str],
    /// Text of the link to the archive page.
    pub archive: &'static str,
    /// Copyright line, with the slot `{name}`.
    pub copyright: &'static str,
}

impl Language {
    /// All languages, English first.
    pub const ALL: [Self; 9] = [
        Self::English,
        Self::German,
        Self::Spanish,
        Self::Russian,
        Self::Japanese,
        Self::French,
        Self::Portuguese,
        Self::Arabic,
        Self::Chinese,
    ];

    /// The words of this language.
    #[must_use]
    pub const fn pack(self) -> &'static Pack {
        match self {
            Self::English => &english::PACK,
            Self::German => &german::PACK,
            Self::Spanish => &spanish::PACK,
            Self::Russian => &russian::PACK,
            Self::Japanese => &japanese::PACK,
            Self::French => &french::PACK,
            Self::Portuguese => &portuguese::PACK,
            Self::Arabic => &arabic::PACK,
            Self::Chinese => &chinese::PACK,
        }
    }

    /// ISO 639-1 code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.pack().code
    }

    /// The separator of sentences and of words.
    #[must_use]
    pub const fn space(self) -> &'static str {
        match self {
            Self::Japanese | Self::Chinese => "",
            _ => " ",
        }
    }

    /// Attributes of the root element, with a leading space.
    #[must_use]
    pub(crate) fn attributes(self) -> String {
        let direction = if self == Self::Arabic { " dir=\"rtl\"" } else { "" };
        format!(" lang=\"{}\"{direction}", self.code())
    }
}

impl std::str::FromStr for Language {
    type Err = String;

    /// The language of an ISO 639-1 code.
    fn from_str(code: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|language| language.code() == code);
        found.ok_or_else(|| format!("use one of {}", Self::ALL.map(Self::code).join(", ")))
    }
}
