//! What a robots.txt says of the uses of pages, beside what may be fetched.
//!
//! A group that names an agent of the list ([`agent_uses`]) reserves, for the pages that it closes to that agent, the uses for which
//! the agent fetches. A group that lets an agent in says something about that agent alone, and so decides nothing.
//! `Content-Signal` and `Content-Usage` count in the groups that are ours: those that name us, or else those for all.
//! Here a `Content-…` line is a rule, which ends the list of agents above it, as draft-ietf-aipref-attach has it. Start at
//! [`read`].

use newslode_common::rights::{Source, Standing, Use};

use super::file::{Agents, Name, lines};
use crate::rights::{FileRules, Rule, RuleGroup, agent_uses, signals};

/// The agents above the rules of a group.
#[derive(Default)]
struct Heads {
    agents: Agents,
    /// Those of the list, as they are written, and their uses.
    known: Vec<String>,
    uses: Vec<(Use, Standing)>,
}

/// Rules that count if nobody, or somebody, names us.
#[derive(Default)]
struct Signals {
    content_signal: Vec<Rule>,
    content_usage: Vec<Rule>,
}

/// What a robots.txt says about the uses of pages to the crawler of this name.
#[must_use]
pub fn read(bytes: &[u8], token: &str) -> FileRules {
    let mut groups: Vec<RuleGroup> = Vec::new();
    let (mut ours, mut everyones) = (Signals::default(), Signals::default());
    let mut is_named = false;
    // A line above all groups is meant for all.
    let everyone = Agents { everyone: true, ..Agents::default() };
    let mut heads = Heads { agents: everyone, ..Heads::default() };
    let mut has_rule = true;
    let mut is_open = false;
    for (name, value) in lines(bytes) {
        let text = String::from_utf8_lossy(value);
        match name {
            Name::UserAgent => {
                if std::mem::take(&mut has_rule) {
                    (heads, is_open) = (Heads::default(), false);
                }
                let agents = Agents::of_line(value, token);
                is_named |= agents.us;
                heads.agents = heads.agents.and(agents);
                if let Some(uses) = agent_uses(&text) {
                    heads.known.push(text.into_owned());
                    heads.uses.extend(uses.iter().map(|of| (*of, Standing::Reserved)));
                }
            }
            Name::Allow | Name::Disallow => {
                has_rule = true;
                if heads.known.is_empty() || text.is_empty() {
                    continue;
                }
                let allows = name == Name::Allow;
                let says = if allows { Vec::new() } else { heads.uses.clone() };
                let written = format!("{}: {text}", if allows { "Allow" } else { "Disallow" });
                if !std::mem::replace(&mut is_open, true) {
                    let head = format!("User-agent: {}", heads.known.join(", "));
                    let source = Source::RobotsAgent;
                    groups.push(RuleGroup {
                        source,
                        head,
                        is_access: true,
                        has_types: false,
                        rules: Vec::new(),
                    });
                }
                if let Some(group) = groups.last_mut() {
                    group.rules.push(Rule::new(&text, &written, says));
                }
            }
            Name::ContentSignal | Name::ContentUsage => {
                has_rule = true;
                let is_signal = name == Name::ContentSignal;
                let written =
                    format!("{}: {text}", if is_signal { "Content-Signal" } else { "Content-Usage" });
                let (path, said) = match text.split_once([' ', '\t']) {
                    Some((path, said)) if path.starts_with('/') => (path, said),
                    _ if text.starts_with('/') => (&*text, ""),
                    _ => ("/", &*text),
                };
                let rule = Rule::new(path, &written, signals(said));
                let Agents { us, everyone } = heads.agents;
                for signals in us.then_some(&mut ours).into_iter().chain(everyone.then_some(&mut everyones)) {
                    let rules =
                        if is_signal { &mut signals.content_signal } else { &mut signals.content_usage };
                    rules.push(rule.clone());
                }
            }
            Name::CrawlDelay | Name::Sitemap => {}
        }
    }
    let Signals { content_signal, content_usage } = if is_named { ours } else { everyones };
    for (source, rules) in
        [(Source::RobotsContentSignal, content_signal), (Source::RobotsContentUsage, content_usage)]
    {
        if !rules.is_empty() {
            groups.push(RuleGroup { source, head: String::new(), is_access: false, has_types: false, rules });
        }
    }
    FileRules { groups }
}

#[cfg(test)]
mod tests {
    use newslode_page::time::Timestamp;
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    /// The uses that a file reserves or allows of a page, with the lines that say it.
    fn said(file: &str, path: &str) -> (Vec<(&'static str, &'static str)>, Vec<String>) {
        let url = Url::parse(&format!("https://a.test{path}")).unwrap();
        let rights = read(file.as_bytes(), "Newslode").about(&url, Timestamp(0));
        let standings = Use::ALL.map(|of| (of.name(), rights.standing(of).name()));
        let known = standings.into_iter().filter(|(_, standing)| *standing != "unknown").collect();
        (known, rights.statements().iter().map(|statement| statement.written.clone()).collect())
    }

    #[test]
    fn agents_that_are_shut_out_reserve_what_they_fetch_for() {
        let file = "User-agent: GPTBot/1.0\nUser-agent: ChatGPT-User\nUser-agent: Sogou\nDisallow: /\nAllow: /free/\n\n\
                    User-agent: ccbot # Common Crawl\nDisallow: /archive\n\nUser-agent: *\nDisallow: /private\n";
        let (standings, lines) = said(file, "/news/1");
        assert_eq!(standings, [("ai_input", "reserved"), ("ai_train", "reserved")]);
        assert_eq!(lines, ["User-agent: GPTBot/1.0, ChatGPT-User; Disallow: /"]);
        assert_eq!(said(file, "/free/1"), (vec![], vec![]), "to let an agent in allows nothing to others");
        let of_archive = [("ai_input", "reserved"), ("ai_train", "reserved"), ("text_mining", "reserved")];
        assert_eq!(said(file, "/archive/1").0, of_archive);
        assert_eq!(said("User-agent: GPTBotany\nDisallow: /", "/").0, []);
        assert_eq!(said("User-agent: *\nDisallow: /", "/").0, [], "it shuts out everybody, also us");
        assert_eq!(said("User-agent: GPTBot\nDisallow:\n", "/").0, []);
        assert_eq!(
            said("User-agent: ia_archiver\nDisallow: /*.html$", "/a.html").0,
            [("archive", "reserved")]
        );
    }

    #[test]
    fn content_signals_count_in_our_groups() {
        let managed = "# As a condition of accessing this website …\nUser-Agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\n\
                       User-agent: Googlebot\nContent-Signal: ai-train=yes\nDisallow: /nogo";
        let (standings, lines) = said(managed, "/news");
        assert_eq!(standings, [("search", "allowed"), ("ai_train", "reserved")]);
        assert_eq!(lines, ["Content-Signal: search=yes,ai-train=no"]);
        let named = format!("{managed}\nUser-agent: newslode\nContent-signal: ai-input=no\n");
        assert_eq!(said(&named, "/news").0, [("ai_input", "reserved")]);
        assert_eq!(
            said("Content-Signal: ai-train=no\nUser-agent: x\nDisallow: /", "/").0,
            [("ai_train", "reserved")]
        );
        let unknown = said("User-agent: *\nContent-Signal: use=reference", "/");
        assert_eq!(unknown, (vec![], vec!["Content-Signal: use=reference".to_owned()]));
    }

    #[test]
    fn content_usage_is_that_of_the_longest_path() {
        let file = "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: / train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n\n\
                    User-Agent: ExampleBot\nAllow: /\nContent-Usage: / train-ai=y\n";
        assert_eq!(said(file, "/test").0, [("ai_train", "reserved")]);
        assert_eq!(said(file, "/ai-ok/test").0, [("ai_train", "allowed")]);
        let equal = "User-agent: *\nContent-Usage: / train-ai=y\nContent-Usage: / train-ai=n, search=y\n";
        let (standings, lines) = said(equal, "/");
        assert_eq!((standings, lines.len()), (vec![("search", "allowed"), ("ai_train", "reserved")], 2));
        assert_eq!(
            said("User-agent: *\nContent-Usage: train-ai=n", "/a").0,
            [("ai_train", "reserved")],
            "without a path"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_file(bytes in proptest::collection::vec(any::<u8>(), 0..400), path in "[/a-z*$%]{0,20}") {
            let mut url = Url::parse("https://a.test/").unwrap();
            url.set_path(&path);
            let rights = read(&bytes, "Newslode").about(&url, Timestamp(0));
            prop_assert!(serde_json::to_string(&rights).is_ok());
        }

        /// Lines in any order: no permission lifts a reservation of the same group and path.
        #[test]
        fn reservations_are_never_lost_to_permissions(
            lines in proptest::collection::vec((0_usize..2, any::<bool>()), 1..8),
        ) {
            let mut file = "User-agent: *\n".to_owned();
            for (name, is_allowed) in &lines {
                let name = ["Content-Signal: ai-train", "Content-Usage: / train-ai"][*name];
                file.push_str(&format!("{name}={}\n", if *is_allowed { "y" } else { "n" }));
            }
            let reserves = lines.iter().any(|(_, is_allowed)| !is_allowed);
            let standing = if reserves { "reserved" } else { "allowed" };
            prop_assert_eq!(said(&file, "/a").0, vec![("ai_train", standing)]);
        }
    }
}
