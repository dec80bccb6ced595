//! What the sites showed a run: the evidence for why two runs differ.
//!
//! Each answer of the simulated sites is a line in a file of the run's folder, written before the crawler has the answer. A page whose
//! last answers in two runs differ may count otherwise in them; a page that both runs were shown alike may not. A line cut short by a
//! kill is of an answer that nobody heard. Start at [`Shown::read`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use newslode_common::version::ContentHash;
use newslode_newsworld::living::{Answer, LivingWorld};
use newslode_page::Timestamp;
use newslode_page::reading::canonical;
use serde::{Deserialize, Serialize};
use url::Url;

/// Name of the file in the run's folder.
const FILE: &str = "answers.jsonl";

/// What an address showed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sight {
    /// A page; the name under which it is archived.
    Page(String),
    /// A redirect.
    Redirect,
    /// 404 or 410.
    Gone,
}

/// An answer, as it is written down.
#[derive(Serialize, Deserialize)]
struct Line {
    at: u64,
    url: String,
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

/// Writes answers down.
pub(super) struct Diary(Mutex<File>);

impl Diary {
    /// Goes on with the file of a run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Diary> {
        let path = folder.join(FILE);
        let open = || -> std::io::Result<File> {
            let mut file = File::options().create(true).read(true).append(true).open(&path)?;
            if file.seek(SeekFrom::End(0))? > 0 {
                let mut last = [0];
                file.seek(SeekFrom::End(-1))?;
                file.read_exact(&mut last)?;
                if last != *b"\n" {
                    file.write_all(b"\n")?;
                }
            }
            Ok(file)
        };
        Ok(Diary(Mutex::new(open().with_context(|| format!("cannot open `{}`", path.display()))?)))
    }

    /// Writes an answer down. Answers that show nothing of a page (errors, "not modified") are left out.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn note(&self, url: &Url, answer: &Answer, at: Timestamp) -> std::io::Result<()> {
        let (Answer::Reply(reply), Some(url)) = (answer, canonical(url)) else { return Ok(()) };
        let page = (reply.status == 200).then(|| {
            let kind = reply.headers.iter().find(|(name, _)| *name == "content-type");
            let kind = kind.map(|(_, value)| value.as_str());
            ContentHash::of(&url, kind, &reply.body).to_string()
        });
        let line = Line { at: at.0, url: url.to_string(), status: reply.status, page };
        if line.sight().is_none() {
            return Ok(());
        }
        let line = serde_json::to_string(&line).map_err(std::io::Error::other)? + "\n";
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }
}

impl Line {
    fn sight(&self) -> Option<Sight> {
        match (self.status, &self.page) {
            (200, Some(page)) => Some(Sight::Page(page.clone())),
            (301 | 302 | 307 | 308, _) => Some(Sight::Redirect),
            (404 | 410, _) => Some(Sight::Gone),
            _ => None,
        }
    }
}

/// What all addresses showed a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// Address → what it showed, each time that it was something else than before, with the time. That it is gone counts twice: a
    /// crawler believes the second answer.
    pub(super) by_address: BTreeMap<String, Vec<(u64, Sight)>>,
}

impl Shown {
    /// Reads what was written down in the folder of a run. Consent walls in front of articles are left out: the world knows when
    /// they stood there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn read(folder: &Path, world: &LivingWorld) -> anyhow::Result<Shown> {
        let path = folder.join(FILE);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        Ok(Shown::of(&text, world))
    }

    fn of(text: &str, world: &LivingWorld) -> Shown {
        let mut shown = Shown::default();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            let Some(sight) = line.sight() else { continue };
            if article_at(world, &line.url).is_some_and(|(site, _)| {
                world.sites().get(site).is_some_and(|site| site.troubles.is_walled(line.at.min(world.end())))
            }) {
                continue;
            }
            let sights = shown.by_address.entry(line.url).or_default();
            let mut before = sights.iter().rev().map(|(_, sight)| sight);
            let is_known = match sight {
                Sight::Gone => before.take(2).filter(|last| **last == Sight::Gone).count() == 2,
                _ => before.next() == Some(&sight),
            };
            if !is_known {
                sights.push((line.at, sight));
            }
        }
        shown
    }

    /// The last page that an address showed, and what came after it; all if it showed no page. Nothing if it was not asked for.
    pub(super) fn last(&self, url: &str) -> Vec<&Sight> {
        let sights = self.by_address.get(url).map(Vec::as_slice).unwrap_or_default();
        let page = sights.iter().rposition(|(_, sight)| matches!(sight, Sight::Page(_)));
        sights[page.unwrap_or(0)..].iter().map(|(_, sight)| sight).collect()
    }

    /// The pages that an address may have shown within this many milliseconds before it showed its last one, if it shows none any more.
    pub(super) fn late_states(&self, url: &str, within: u64) -> Vec<&str> {
        let sights = self.by_address.get(url).map(Vec::as_slice).unwrap_or_default();
        let mut pages = sights.iter().rev().filter_map(|(at, sight)| match sight {
            Sight::Page(page) => Some((*at, page.as_str())),
            Sight::Redirect | Sight::Gone => None,
        });
        let (Some((last, page)), false) = (pages.next(), matches!(sights.last(), Some((_, Sight::Page(_)))))
        else {
            return Vec::new();
        };
        // The one before that time still stood there at its beginning.
        let mut late = vec![page];
        for (at, page) in pages {
            late.push(page);
            if at + within <= last {
                break;
            }
        }
        late
    }

    /// What the addresses of an article showed, in the order of time, without the times.
    pub(super) fn of_article(&self, world: &LivingWorld, url: &str) -> Vec<(String, Sight)> {
        let addresses = match article_at(world, url).and_then(|(site, article)| {
            Some(world.sites().get(site)?.addresses_of(article).into_iter().map(|(address, _)| address))
        }) {
            Some(addresses) => addresses.collect(),
            None => vec![url.to_owned()],
        };
        let mut sights: Vec<(u64, String, Sight)> = Vec::new();
        for address in addresses {
            let of_address = self.by_address.get(&address).into_iter().flatten();
            sights.extend(of_address.map(|(at, sight)| (*at, address.clone(), sight.clone())));
        }
        sights.sort();
        sights.into_iter().map(|(_, address, sight)| (address, sight)).collect()
    }

    /// How many states of an article its only address showed one after the other, given when it was edited. `None` if the article has
    /// several addresses, or was away.
    pub(super) fn states_of(&self, world: &LivingWorld, url: &str) -> Option<usize> {
        let (site, article) = article_at(world, url)?;
        let site = world.sites().get(site)?;
        let (facts, sights) = (site.articles.get(article)?, self.by_address.get(url)?);
        let is_whole = sights.iter().all(|(_, sight)| matches!(sight, Sight::Page(_)));
        if site.addresses_of(article).len() > 1 || !is_whole {
            return None;
        }
        let edits = |at: u64| facts.edits_ms.partition_point(|edit| *edit <= at.min(world.end()));
        let mut states: Vec<usize> = sights.iter().map(|(at, _)| edits(*at)).collect();
        states.dedup();
        Some(states.len())
    }

    /// The articles of a site in the order in which their texts were shown first.
    pub(super) fn order_of_articles(&self, world: &LivingWorld, site: usize) -> Vec<&str> {
        let mut pages: Vec<(u64, &str)> = Vec::new();
        for (url, sights) in &self.by_address {
            if article_at(world, url).is_some_and(|(of, _)| of == site) {
                pages.extend(sights.iter().filter_map(|(at, sight)| match sight {
                    Sight::Page(page) => Some((*at, page.as_str())),
                    Sight::Redirect | Sight::Gone => None,
                }));
            }
        }
        pages.sort_unstable();
        pages.into_iter().map(|(_, page)| page).collect()
    }
}

/// Site and article of a URL.
pub(super) fn article_at(world: &LivingWorld, url: &str) -> Option<(usize, usize)> {
    let url = Url::parse(url).ok()?;
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    world.article_of(url.host_str()?, &path)
}

#[cfg(test)]
mod tests {
    use newslode_newsworld::living::Ask;

    use super::super::SMALL;
    use super::*;

    fn world() -> LivingWorld {
        LivingWorld::generate(&SMALL)
    }

    #[test]
    fn what_sites_answer_is_read_back_also_after_a_half_written_line() {
        let (folder, world) = (tempfile::tempdir().unwrap(), world());
        let site = &world.sites()[2];
        let (address, from) = site.addresses_of(0).remove(0);
        let url = Url::parse(&address).unwrap();
        let ask = |path: &str, at| world.answer(&Ask::plain(&site.host, path), at);
        let diary = Diary::open(folder.path()).unwrap();
        // Three times before its time, and twice when it is there.
        for at in [from - 3, from - 2, from - 1, from, from + 1] {
            diary.note(&url, &ask(url.path(), at), Timestamp(at)).unwrap();
        }
        diary.note(&url, &Answer::Timeout, Timestamp(from + 2)).unwrap();
        drop(diary);
        let path = folder.path().join(FILE);
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"{\"at\":17,\"url\":\"http://www").unwrap();
        let diary = Diary::open(folder.path()).unwrap();
        let robots = Url::parse(&format!("http://{}/robots.txt", site.host)).unwrap();
        diary.note(&robots, &ask("/robots.txt", from), Timestamp(from)).unwrap();
        let shown = Shown::read(folder.path(), &world).unwrap();
        let Answer::Reply(reply) = ask(url.path(), from) else { panic!("it answers") };
        let page = ContentHash::of(&canonical(&url).unwrap(), Some("text/html; charset=utf-8"), &reply.body);
        let page_name = page.to_string();
        let sights = vec![(from - 3, Sight::Gone), (from - 2, Sight::Gone), (from, Sight::Page(page_name))];
        assert_eq!(shown.by_address.get(canonical(&url).unwrap().as_str()), Some(&sights));
        assert!(matches!(shown.last(robots.as_str())[..], [Sight::Page(_)]));
        assert_eq!(shown.by_address.len(), 2);
        assert_eq!(shown.order_of_articles(&world, site.number), [page.to_string()]);
    }
}
