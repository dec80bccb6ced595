//! The scripts of texts, and the languages of scripts that one language has to itself, nearly.

/// A script, or scripts that are written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Devanagari,
    Hebrew,
    Ethiopic,
    /// Chinese characters; with kana they are Japanese.
    Han,
    Kana,
    Hangul,
    Greek,
    Armenian,
    Georgian,
    Bengali,
    Gurmukhi,
    Gujarati,
    Oriya,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Thai,
    Lao,
    Tibetan,
    Burmese,
    Khmer,
    Thaana,
    Mongolian,
    Canadian,
    Cherokee,
    Tifinagh,
    Nko,
    OlChiki,
}

/// Japanese prose has at least one kana among this many characters; a Chinese text may name a Japanese product.
const MOST_PER_KANA: usize = 8;

/// Scripts that one language has to itself, or nearly: the one with most papers first.
const OF_ONE: [(Script, &[&str]); 27] = [
    (Script::Han, &["zh", "yue", "wuu", "hak", "nan", "lzh"]),
    (Script::Kana, &["ja"]),
    (Script::Hangul, &["ko"]),
    (Script::Greek, &["el", "grc"]),
    (Script::Armenian, &["hy", "hyw"]),
    (Script::Georgian, &["ka", "xmf"]),
    (Script::Bengali, &["bn", "as", "mni", "bpy"]),
    (Script::Gurmukhi, &["pa"]),
    (Script::Gujarati, &["gu"]),
    (Script::Oriya, &["or"]),
    (Script::Tamil, &["ta"]),
    (Script::Telugu, &["te"]),
    (Script::Kannada, &["kn", "tcy"]),
    (Script::Malayalam, &["ml"]),
    (Script::Sinhala, &["si"]),
    (Script::Thai, &["th"]),
    (Script::Lao, &["lo"]),
    (Script::Tibetan, &["bo", "dz"]),
    (Script::Burmese, &["my", "shn", "mnw", "ksw"]),
    (Script::Khmer, &["km"]),
    (Script::Thaana, &["dv"]),
    (Script::Mongolian, &["mn"]),
    (Script::Canadian, &["iu", "cr", "oj"]),
    (Script::Cherokee, &["chr"]),
    (Script::Tifinagh, &["zgh", "ber", "shi", "rif", "kab"]),
    (Script::Nko, &["nqo", "bm", "dyu", "man"]),
    (Script::OlChiki, &["sat"]),
];

impl Script {
    /// The script of a letter; `None` for other characters and for scripts that no paper uses.
    pub(super) fn of(letter: char) -> Option<Script> {
        let script = match letter {
            'a'..='z' | 'A'..='Z' => Script::Latin,
            '\0'..='\u{bf}' | '\u{d7}' | '\u{f7}' => return None,
            '\u{c0}'..='\u{2af}' | '\u{1e00}'..='\u{1eff}' | '\u{ff21}'..='\u{ff5a}' => Script::Latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
            '\u{400}'..='\u{52f}' => Script::Cyrillic,
            '\u{531}'..='\u{58f}' => Script::Armenian,
            '\u{590}'..='\u{5ff}' | '\u{fb1d}'..='\u{fb4f}' => Script::Hebrew,
            '\u{620}'..='\u{6ff}'
            | '\u{750}'..='\u{77f}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}' => Script::Arabic,
            '\u{780}'..='\u{7bf}' => Script::Thaana,
            '\u{7c0}'..='\u{7ff}' => Script::Nko,
            '\u{900}'..='\u{97f}' => Script::Devanagari,
            '\u{980}'..='\u{9ff}' => Script::Bengali,
            '\u{a00}'..='\u{a7f}' => Script::Gurmukhi,
            '\u{a80}'..='\u{aff}' => Script::Gujarati,
            '\u{b00}'..='\u{b7f}' => Script::Oriya,
            '\u{b80}'..='\u{bff}' => Script::Tamil,
            '\u{c00}'..='\u{c7f}' => Script::Telugu,
            '\u{c80}'..='\u{cff}' => Script::Kannada,
            '\u{d00}'..='\u{d7f}' => Script::Malayalam,
            '\u{d80}'..='\u{dff}' => Script::Sinhala,
            '\u{e00}'..='\u{e7f}' => Script::Thai,
            '\u{e80}'..='\u{eff}' => Script::Lao,
            '\u{f00}'..='\u{fff}' => Script::Tibetan,
            '\u{1000}'..='\u{109f}' => Script::Burmese,
            '\u{10a0}'..='\u{10ff}' | '\u{1c90}'..='\u{1cbf}' => Script::Georgian,
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Script::Hangul,
            '\u{1200}'..='\u{139f}' => Script::Ethiopic,
            '\u{13a0}'..='\u{13ff}' => Script::Cherokee,
            '\u{1400}'..='\u{167f}' => Script::Canadian,
            '\u{1780}'..='\u{17ff}' => Script::Khmer,
            '\u{1800}'..='\u{18af}' => Script::Mongolian,
            '\u{1c50}'..='\u{1c7f}' => Script::OlChiki,
            '\u{2d30}'..='\u{2d7f}' => Script::Tifinagh,
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => Script::Kana,
            '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Script::Han,
            _ => return None,
        };
        Some(script)
    }

    /// The languages written in this script, the one with most papers first; empty where words tell them apart.
    pub(super) fn languages(self) -> &'static [&'static str] {
        OF_ONE.iter().find(|(script, _)| *script == self).map_or(&[], |(_, languages)| languages)
    }
}

/// Whether a language is written in a script of its own.
pub(super) fn is_written_otherwise(code: &str) -> bool {
    OF_ONE.iter().any(|(_, languages)| languages.contains(&code))
}

/// How much of a text is in each script, in bytes: a character of a script without an alphabet says more than a letter.
#[derive(Default)]
pub(super) struct ScriptShares {
    bytes: Vec<(Script, usize)>,
    letters: usize,
}

impl ScriptShares {
    pub(super) fn of(text: &str) -> ScriptShares {
        let mut shares = ScriptShares::default();
        for letter in text.chars() {
            let Some(script) = Script::of(letter) else { continue };
            shares.letters += 1;
            match shares.bytes.iter_mut().find(|(known, _)| *known == script) {
                Some((_, bytes)) => *bytes += letter.len_utf8(),
                None => shares.bytes.push((script, letter.len_utf8())),
            }
        }
        shares
    }

    /// Number of letters.
    pub(super) fn letters(&self) -> usize {
        self.letters
    }

    /// The script of more than half of the text. Chinese characters with kana count as kana.
    pub(super) fn main(&self) -> Option<Script> {
        let of = |script: Script| {
            self.bytes.iter().find(|(known, _)| *known == script).map_or(0, |(_, bytes)| *bytes)
        };
        let all: usize = self.bytes.iter().map(|(_, bytes)| bytes).sum();
        let east = of(Script::Han) + of(Script::Kana);
        if east * 2 > all {
            let is_japanese = of(Script::Kana) * MOST_PER_KANA >= east;
            return Some(if is_japanese { Script::Kana } else { Script::Han });
        }
        self.bytes.iter().find(|(_, bytes)| bytes * 2 > all).map(|(script, _)| *script)
    }
}
