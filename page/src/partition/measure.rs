//! What benches and checks need: generated pages of any size, hostile pages, and the [`Dp`].
//!
//! The product does not use this module.

pub use super::hostile::{Hostile, hostile_pages};
pub use super::papers::measure::{BinaryNode, Dp, additions, table_bytes};

/// HTML of a generated front page with this number of leaves: menu, sections of headed teasers, lists, footer.
#[must_use]
pub fn made_page(leaves: usize) -> String {
    let mut page = MadePage { html: String::new(), left: leaves, word: 0 };
    page.raw(
        "<!doctype html><html lang=en><head><title>Made</title></head><body><div id=page><header><nav><ul>",
    );
    page.repeat(10, |page| page.leaf("<li class=entry><a href='/{}'>", "</a></li>"));
    page.raw("</ul></nav></header><main>");
    while page.left > 12 {
        page.section();
    }
    page.raw("</main><footer><ul>");
    page.repeat(12, |page| page.leaf("<li><a href='/{}'>", "</a></li>"));
    page.raw("</ul></footer></div></body></html>");
    page.html
}

struct MadePage {
    html: String,
    left: usize,
    word: usize,
}

impl MadePage {
    fn raw(&mut self, html: &str) {
        self.html.push_str(html);
    }

    fn repeat(&mut self, times: usize, mut part: impl FnMut(&mut MadePage)) {
        for _ in 0..times.min(self.left) {
            part(self);
        }
    }

    /// Adds one leaf between two tags if there are leaves left; `{}` becomes its number.
    fn leaf(&mut self, open: &str, close: &str) {
        if self.left > 0 {
            self.left -= 1;
            self.word += 1;
            let word = self.word.to_string();
            self.raw(&open.replace("{}", &word));
            self.raw(&format!("story {word} of today"));
            self.raw(close);
        }
    }

    fn section(&mut self) {
        let number = self.word;
        self.raw("<section class='box front'><div class=head>");
        self.leaf("<h2><a href='/section/{}'>", "</a></h2>");
        self.raw("</div><div class=body>");
        self.repeat(2 + number % 5, |page| {
            page.raw("<article class=teaser>");
            page.leaf("<h3><a href='/story/{}'>", "</a></h3>");
            page.leaf("<p>", "</p>");
            if page.word.is_multiple_of(3) {
                page.leaf("<p class=by><span>", "</span></p>");
            }
            page.raw("</article>");
        });
        self.raw("<ul class=more>");
        self.repeat(3 + number % 4, |page| page.leaf("<li><a href='/more/{}'>", "</a></li>"));
        self.raw("</ul></div></section>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn made_pages_have_the_leaves_asked_for() {
        for leaves in [0, 1, 11, 100, 1_234] {
            assert_eq!(page(&made_page(leaves)).leaves.len(), leaves);
        }
    }

    #[test]
    fn fast_is_plain_on_a_made_page() {
        let page = page(&made_page(150));
        let dp = Dp::new(&page, 0..150);
        assert_eq!(dp.fast(), dp.plain_cached());
        assert_eq!(dp.fast().len(), 299);
    }
}
