//! Whom the owner of a site can turn to: a URL or a mail address.

use url::{Host, Url};

/// What is said to who starts a crawler without one.
pub(super) const MISSING: &str = "`crawler.contact` is not set: sites must know whom to turn to; set it to a URL or mail address of yours, such as `https://example.org/crawler` or `crawler@example.org` (NEWSLODE__CRAWLER__CONTACT, or `newslode mine --contact`)";

/// Whether a text is an http(s) URL or a mail address.
pub(super) fn is_contact(text: &str) -> bool {
    let is_public = |host: Host<&str>| matches!(host, Host::Domain(name) if name.contains('.'));
    if let Ok(url) = Url::parse(text)
        && matches!(url.scheme(), "http" | "https")
    {
        return !text.contains([' ', '(', ')']) && url.host().is_some_and(is_public);
    }
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    let is_safe = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@.-_+=%".contains(&byte));
    let Some((name, host)) = text.split_once('@') else { return false };
    is_safe
        && !name.is_empty()
        && Host::parse(host).is_ok_and(|host| matches!(host, Host::Domain(name) if name.contains('.')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigError, CrawlerConfig};

    #[test]
    fn urls_and_mail_addresses_are_contacts() {
        for text in [
            "https://example.org/bot",
            "http://www.example.org",
            "me@example.org",
            "mailto:a.b+c@example.org",
        ] {
            assert!(is_contact(text), "{text}");
        }
        for text in [
            "",
            "me",
            "example.org",
            "me@",
            "@example.org",
            "me@host",
            "https://",
            "https://localhost/",
            "ftp://example.org",
            "a@b@example.org",
            "me (at) example.org",
            "me@example.org\nx: y",
        ] {
            assert!(!is_contact(text), "{text}");
        }
    }

    #[test]
    fn a_crawler_says_whom_to_turn_to_unless_all_that_it_asks_is_private() {
        let agent = |change: fn(&mut CrawlerConfig)| {
            let mut config = CrawlerConfig { user_agent: "News/1".into(), ..CrawlerConfig::default() };
            change(&mut config);
            config.agent()
        };
        let Err(ConfigError::Rules(said)) = agent(|_| {}) else { panic!("nobody is named") };
        assert!(said[0].contains("`crawler.contact`") && said[0].contains("crawler@example.org"), "{said:?}");
        assert_eq!(agent(|c| c.contact = "me@a.org".into()).unwrap(), "News/1 (+me@a.org)");
        assert_eq!(agent(|c| c.allow_private = true).unwrap(), "News/1");
        assert_eq!(agent(|c| c.resolve = vec!["*:127.0.0.1:80".parse().unwrap()]).unwrap(), "News/1");
        assert!(agent(|c| c.resolve = vec!["a.test:127.0.0.1:80".parse().unwrap()]).is_err());
        let named = "News/1 (+https://a.org/bot; me@a.org)";
        assert_eq!(agent(|c| c.user_agent = "News/1 (+https://a.org/bot; me@a.org)".into()).unwrap(), named);
    }
}
