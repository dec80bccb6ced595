//! Sites that send a header with their web pages, such as `X-Robots-Tag`.
//!
//! It wraps the content of another world, so the gold labels are those of that world. Start at [`Headed`].

use newslode_demo_world::{Content, Reply};

/// Another world, of which some pages have one more header.
#[derive(Clone, Debug)]
pub struct Headed<C> {
    /// The other world.
    pub content: C,
    /// The host whose pages have it, and with what their paths begin.
    pub pages: (String, String),
    /// Its name, in lower case, and its value.
    pub header: (&'static str, String),
}

impl<C: Content> Content for Headed<C> {
    fn respond(&self, host: &str, path_and_query: &str) -> Reply {
        let mut reply = self.content.respond(host, path_and_query);
        let is_page = reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
        if is_page && host == self.pages.0 && path_and_query.starts_with(&self.pages.1) {
            reply.headers.push((self.header.0, self.header.1.clone()));
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use newslode_demo_world::{World, WorldSpec};

    #[test]
    fn pages_of_one_site_have_the_header_and_nothing_else_has() {
        let world = World::generate(&WorldSpec { seed: 7, sites: 2, ..WorldSpec::default() });
        let hosts: Vec<String> =
            world.seeds().iter().map(|seed| seed.split('/').nth(2).unwrap().to_owned()).collect();
        let pages = (hosts[0].clone(), "/".to_owned());
        let headed = Headed { content: world, pages, header: ("x-robots-tag", "noarchive".into()) };
        assert_eq!(headed.respond(&hosts[0], "/").header("x-robots-tag"), Some("noarchive"));
        assert_eq!(headed.respond(&hosts[0], "/robots.txt").header("x-robots-tag"), None);
        assert_eq!(headed.respond(&hosts[1], "/").header("x-robots-tag"), None);
    }
}
