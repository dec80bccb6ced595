//! Sites whose pages scripts build: the server sends an empty shell, and a script fetches the content.
//!
//! It wraps the content of other worlds, so the gold labels are theirs. There are no feeds and no sitemaps, so that listings must be
//! rendered, too. Every load leaves a nonce and a random identifier in the document. Start at [`Scripted`].

use newslode_demo_world::{Content, Reply};

/// Another world, whose pages only a browser shows.
#[derive(Clone, Debug)]
pub struct Scripted<C>(pub C);

/// Where the script finds a page: before its path.
pub const DATA: &str = "/data";

const SHELL: &str = "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>Loading</title>\
    <link rel=\"icon\" href=\"/icon.png\"><script defer src=\"/app.js\"></script></head>\
    <body><noscript>Please turn on JavaScript.</noscript><div id=\"root\"></div></body></html>\n";

const SCRIPT: &str = "const show = async () => {
    const answer = await fetch('/data' + location.pathname + location.search);
    if (!answer.ok) throw new Error('no page');
    const made = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const {name, value} of made.documentElement.attributes) document.documentElement.setAttribute(name, value);
    document.head.replaceChildren(...made.head.childNodes);
    const root = document.getElementById('root');
    root.replaceChildren(...made.body.childNodes);
    root.dataset.session = crypto.randomUUID();
    const late = document.createElement('script');
    late.nonce = String(Math.random());
    late.textContent = 'window.session = \"' + Date.now() + '\"';
    document.body.append(late);
};
show();
";

impl<C: Content> Content for Scripted<C> {
    fn respond(&self, host: &str, path_and_query: &str) -> Reply {
        if path_and_query == "/app.js" {
            return Reply::ok("text/javascript", SCRIPT.into());
        }
        if let Some(path) = path_and_query.strip_prefix(DATA) {
            return self.0.respond(host, path);
        }
        let reply = self.0.respond(host, path_and_query);
        let kind = reply.header("content-type").unwrap_or_default();
        match reply.status {
            200 if kind.starts_with("text/html") => Reply::ok("text/html; charset=utf-8", SHELL.into()),
            200 if path_and_query == "/robots.txt" => {
                Reply::ok("text/plain", b"User-agent: *\nAllow: /\n".to_vec())
            }
            200 => Reply::not_found(),
            _ => reply,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placed::{PlacedSpec, PlacedWorld};

    #[test]
    fn the_server_sends_no_word_of_a_page_that_the_script_finds() {
        let world = PlacedWorld::generate(&PlacedSpec { seed: 7, sites: 1, stories: 1 });
        let article = world.gold()[0].clone();
        let (host, path) = article.url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let scripted = Scripted(world);
        let title = article.title.clone().into_bytes();
        let has_title = |body: &[u8]| body.windows(title.len()).any(|part| part == title);
        assert!(!has_title(&scripted.respond(host, &format!("/{path}")).body));
        assert!(has_title(&scripted.respond(host, &format!("{DATA}/{path}")).body));
        assert_eq!(scripted.respond(host, "/nowhere").status, 404);
    }
}
