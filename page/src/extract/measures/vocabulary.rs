//! The words that page authors write into classes and similar attributes, grouped by meaning.
//!
//! This is the general vocabulary of templates: no word belongs to one site or vendor. Only whole words count:
//! values are split at everything that is not a letter, and before a capital ("articleBody" is "article" and
//! "body").

/// Number of groups.
pub(in crate::extract) const N_GROUPS: usize = 16;

/// The groups: a name, and its words separated by spaces.
pub(in crate::extract) const GROUPS: [(&str, &str); N_GROUPS] = [
    (
        "comment",
        "comment comments commenting discussion reply replies respond kommentar kommentare \
         comentarios commentaires feedback",
    ),
    (
        "related",
        "related recommended recommend recommendation recommendations more also read readmore similar \
         popular trending latest most teaser teasers promo promos promotion next previous prev \
         further suggested suggestions carousel river feed list card cards collection verwandt",
    ),
    (
        "share",
        "share sharing shares social follow like likes sharebar teilen bookmark email tools toolbar \
         actions buttons button",
    ),
    (
        "media",
        "caption captions credit credits figure photo photos image images img picture gallery video \
         videos media slideshow player legend thumbnail thumb audio podcast bild foto cutline \
         attribution",
    ),
    (
        "offer",
        "newsletter newsletters signup subscribe subscription subscriber paywall register \
         registration login signin donate donation support membership member premium offer regwall \
         cta callout abo",
    ),
    (
        "navigation",
        "nav navi navigation menu breadcrumb breadcrumbs header masthead footer foot topbar skip \
         pagination pager pages search sitemap logo links",
    ),
    (
        "advert",
        "ad ads advert adverts advertisement advertising sponsor sponsored banner commercial anzeige \
         werbung publicidad affiliate shop product price",
    ),
    (
        "byline",
        "byline author authors autor bio date dateline time timestamp published updated meta info \
         metadata contributor contributors source writer reporter profile signature",
    ),
    (
        "side",
        "sidebar aside rail widget widgets box infobox factbox module modules secondary right \
         supplementary complementary sticky inset embed embedded tweet frame",
    ),
    (
        "consent",
        "cookie cookies consent gdpr privacy modal popup overlay dialog disclaimer legal copyright \
         terms alert notice notification message error toast poll quiz form",
    ),
    (
        "tags",
        "tag tags topic topics keyword keywords category categories label kicker section taxonomy \
         channel eyebrow",
    ),
    (
        "body",
        "body content text copy paragraph paragraphs para prose richtext articlebody storybody \
         bodytext articletext storytext contents texto inhalt contenu cuerpo",
    ),
    (
        "article",
        "article story post entry main detail single artikel articulo page hentry blogposting \
         newsarticle",
    ),
    (
        "title",
        "title headline heading hed headlines titre titel titulo subhead subheading subheadline \
         subtitle",
    ),
    (
        "lead",
        "summary lead lede intro introduction standfirst dek deck excerpt abstract description leadin \
         teaser vorspann chapo bullets highlights",
    ),
    (
        "hidden",
        "hidden hide invisible print noprint sr reader visually visuallyhidden collapsed none \
         offscreen mobile desktop toggle tooltip dropdown expand tab tabs",
    ),
];

/// The groups with a word in a value, as bits. `scratch` saves an allocation per word.
pub(in crate::extract) fn groups_in(value: &str, scratch: &mut String, vocabulary: &Vocabulary) -> u32 {
    let mut bits = 0;
    let mut was_lower = false;
    scratch.clear();
    for c in value.chars() {
        let starts = c.is_ascii_uppercase() && was_lower;
        if (starts || !c.is_alphabetic()) && !scratch.is_empty() {
            bits |= vocabulary.0.get(scratch.as_str()).copied().unwrap_or(0);
            scratch.clear();
        }
        if c.is_alphabetic() {
            scratch.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    bits | vocabulary.0.get(scratch.as_str()).copied().unwrap_or(0)
}

/// The groups of each word.
pub(in crate::extract) struct Vocabulary(rustc_hash::FxHashMap<&'static str, u32>);

impl Vocabulary {
    pub(in crate::extract) fn shared() -> &'static Vocabulary {
        static SHARED: std::sync::LazyLock<Vocabulary> = std::sync::LazyLock::new(Vocabulary::new);
        &SHARED
    }

    fn new() -> Vocabulary {
        let mut vocabulary = rustc_hash::FxHashMap::default();
        for (number, (_, words)) in GROUPS.iter().enumerate() {
            for word in words.split(' ') {
                *vocabulary.entry(word).or_insert(0) |= 1 << number;
            }
        }
        Vocabulary(vocabulary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: &[&str]) {
        let bits = groups_in(value, &mut String::new(), Vocabulary::shared());
        let found: Vec<&str> =
            (0..N_GROUPS).filter(|group| bits >> group & 1 == 1).map(|group| GROUPS[group].0).collect();
        assert_eq!(found, expected, "{value}");
    }

    #[test]
    fn whole_words_count() {
        check("articleBody", &["body", "article"]);
        check("post__comments-2", &["comment", "article"]);
        check("responsive threads", &[]);
        check("SITE_NAV", &["navigation"]);
    }
}
