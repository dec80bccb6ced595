//! Queries that a listing invents anew for each visit.
//!
//! Some feeds put a time, a random number or a session into each link, so that every story has another address at every
//! visit, and would be fetched again each time. It shows in the story that was on top at the last visit: its path is
//! there again, with another query. Then what changes is taken out of the links of this visit. The mark of a listing
//! names that story, so nothing else needs to be remembered; and as the mark is made of the address that was kept, the
//! next visit sees the same.

use std::collections::HashMap;

use newslode_common::schedule::name;
use newslode_page::reading::CanonicalUrl;

/// A listing of fewer stories does not tell whether its paths name them.
const LEAST_STORIES: usize = 3;
/// A value of at least so many characters may be invented, and one with a digit.
const LEAST_INVENTED: usize = 6;

/// Names a story by its path and by its whole address, each in half of the number.
pub(super) fn mark_of(url: &CanonicalUrl) -> u64 {
    (half(path_of(url)) << 32) | half(url.as_str())
}

fn half(text: &str) -> u64 {
    name(text) >> 32
}

/// The address without its query.
fn path_of(url: &CanonicalUrl) -> &str {
    url.as_str().split_once('?').map_or(url.as_str(), |(path, _)| path)
}

/// Takes invented queries out of the links of a listing. `mark` names the story that was on top at its last visit.
pub(super) fn drop_invented(stories: &mut [&mut CanonicalUrl], mark: u64) {
    let mut paths: HashMap<u64, usize> = HashMap::new();
    for story in stories.iter() {
        *paths.entry(half(path_of(story))).or_default() += 1;
    }
    // Paths that several stories share do not name them: the query does.
    let names = |path: u64| paths.get(&path) == Some(&1);
    if mark == 0 || paths.len() < LEAST_STORIES || !names(mark >> 32) {
        return;
    }
    let marked = stories.iter().find(|story| half(path_of(story)) == mark >> 32);
    if !marked.is_some_and(|story| mark_of(story) != mark && story.as_str().contains('?')) {
        return;
    }
    for story in stories {
        if names(half(path_of(story)))
            && let Some(url) = without_invented(story)
        {
            **story = url;
        }
    }
}

/// The address without the parameters whose values may be invented; words such as `lang=en` stay.
fn without_invented(url: &CanonicalUrl) -> Option<CanonicalUrl> {
    let (path, query) = url.as_str().split_once('?')?;
    let is_word = |parameter: &&str| {
        let value = parameter.split_once('=').map_or(*parameter, |(_, value)| value);
        value.len() < LEAST_INVENTED && !value.bytes().any(|byte| byte.is_ascii_digit())
    };
    let kept: Vec<&str> = query.split('&').filter(is_word).collect();
    let mark = if kept.is_empty() { "" } else { "?" };
    format!("{path}{mark}{}", kept.join("&")).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stories(paths: &[&str]) -> Vec<CanonicalUrl> {
        paths.iter().map(|path| format!("https://a.test{path}").parse().unwrap()).collect()
    }

    /// The links of the second visit, after a first one with these links.
    fn second(first: &[&str], second: &[&str]) -> Vec<String> {
        let mut then = stories(second);
        drop_invented(&mut then.iter_mut().collect::<Vec<_>>(), mark_of(&stories(first)[0]));
        then.iter().map(|story| story.as_str().strip_prefix("https://a.test").unwrap().to_owned()).collect()
    }

    #[test]
    fn a_query_that_changes_is_left_out() {
        let one = ["/a?t=1", "/b?t=1", "/c?t=1"];
        assert_eq!(second(&one, &["/n?t=2", "/a?t=2", "/b?t=2"]), ["/n", "/a", "/b"]);
        // The mark of the second visit is made of what was kept, so the third visit sees the same.
        assert_eq!(second(&["/n", "/a", "/b"], &["/n?t=3", "/a?t=3", "/b?t=3"]), ["/n", "/a", "/b"]);
        let one = ["/a?lang=en&sid=f00", "/b?lang=en&sid=f00", "/c"];
        assert_eq!(
            second(&one, &["/a?lang=en&sid=ba4", "/b?lang=en&sid=ba4", "/c"]),
            ["/a?lang=en", "/b?lang=en", "/c"]
        );
    }

    #[test]
    fn a_query_that_names_the_story_stays() {
        for (one, two) in [
            (["/a?v=1", "/b?v=1", "/c?v=1"], ["/n?v=1", "/a?v=1", "/b?v=1"]),
            (["/s?id=1", "/s?id=2", "/s?id=3"], ["/s?id=9", "/s?id=1", "/s?id=2"]),
            (["/a?t=1", "/b?t=1", "/c?t=1"], ["/x?t=2", "/y?t=2", "/z?t=2"]),
            (["/a", "/b", "/c"], ["/a", "/b?id=7", "/c"]),
        ] {
            assert_eq!(second(&one, &two), two);
        }
        assert_eq!(second(&["/a?id=1"], &["/a?id=2", "/b?id=2"]), ["/a?id=2", "/b?id=2"]);
        // Where paths are shared, only those that are not lose their query.
        let (one, two) = (["/a?t=1", "/b?t=1"], ["/a?t=2", "/b?t=2", "/s?id=1", "/s?id=2"]);
        assert_eq!(second(&one, &two), ["/a", "/b", "/s?id=1", "/s?id=2"]);
    }
}
