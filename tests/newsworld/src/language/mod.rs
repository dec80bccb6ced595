//! The languages of the world and the words a site needs in each: its furniture, its people, its sentences.
//!
//! Most sites are English; the others stand for what is not: other alphabets, no spaces between words, writing from
//! right to left. A [`Pack`] is data only. Sentences are templates with slots in braces; `text.rs` says what each slot means.

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

/// Everything a site says that is not a story, and what stories are made of.
#[derive(Debug)]
pub struct Pack {
    /// ISO 639-1 code.
    pub code: &'static str,
    /// January to December, in the form that a date needs.
    pub months: [&'static str; 12],
    /// Monday to Sunday.
    pub weekdays: [&'static str; 7],
    /// The furniture.
    pub ui: Ui,
    /// Given names.
    pub first_names: &'static [&'static str],
    /// Family names.
    pub last_names: &'static [&'static str],
    /// Towns.
    pub cities: &'static [&'static str],
    /// What people are who get quoted.
    pub roles: &'static [&'static str],
    /// Who employs them.
    pub bodies: &'static [&'static str],
    /// Headlines with slots.
    pub headlines: &'static [&'static str],
    /// Sentences with slots.
    pub sentences: &'static [&'static str],
    /// Sentences of readers.
    pub comments: &'static [&'static str],
    /// Names of newspapers and their host's first label.
    pub mastheads: &'static [(&'static str, &'static str)],
}

/// The words of menus, boxes and footers.
#[derive(Debug)]
pub struct Ui {
    /// Link to the home page.
    pub home: &'static str,
    /// Heading of the lead stories.
    pub top_stories: &'static str,
    /// Link behind a section box.
    pub more: &'static str,
    /// Heading of the most-read box.
    pub most_read: &'static str,
    /// Heading of related links.
    pub related: &'static str,
    /// Heading of readers' comments.
    pub comments: &'static str,
    /// Before the author's name, with its space; may be empty.
    pub by: &'static str,
    /// Between two authors.
    pub and: &'static str,
    /// Over an advertisement.
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
    /// Utility pages that are no news sections: text and path.
    pub utility: &'static [(&'static str, &'static str)],
    /// The words of a page about the site itself, with the slot `{name}`.
    pub about: &'static [&'static str],
    /// Text of the link to the archive page.
    pub archive: &'static str,
    /// Copyright line, with the slot `{name}`.
    pub copyright: &'static str,
}

impl Language {
    /// All of them, English first.
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

    /// The language of this ISO 639-1 code.
    #[must_use]
    pub fn named(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// What stands between two sentences and between two words.
    #[must_use]
    pub const fn space(self) -> &'static str {
        match self {
            Self::Japanese | Self::Chinese => "",
            _ => " ",
        }
    }

    /// Attributes of the root element, with a space before.
    #[must_use]
    pub(crate) fn attributes(self) -> String {
        let direction = if self == Self::Arabic { " dir=\"rtl\"" } else { "" };
        format!(" lang=\"{}\"{direction}", self.code())
    }
}
