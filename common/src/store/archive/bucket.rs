//! The bucket of an archive in S3: how it is opened, and what its errors mean.
//!
//! S3 answers a request now and then with an error that is gone a moment later, so the client asks again for some
//! seconds without a word ([`retries`]). What lasts longer is the caller's to wait for, who tells the log once. A failure
//! is put into words with what a person must do ([`meaning`]). Of S3's answer only code and message are told: the rest may
//! repeat the session's token.

use std::time::Duration;

use object_store::ClientConfigKey;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, RetryConfig};
use url::Url;

use crate::store::StoreError;
use crate::tls;

/// Number of tries after the first.
const RETRIES: usize = 5;
/// First and longest wait between tries; each is drawn between the first and [`GROWTH`] times the last. In the mean they
/// are some four seconds together.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const GROWTH: f64 = 3.0;

/// Longest text of a server that is part of an error message.
const LONGEST: usize = 600;

/// Opens a bucket by its URL and the variables of the environment that begin with `AWS_`.
pub(super) fn open(
    url: &Url,
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<PrefixStore<AmazonS3>, String> {
    tls::ready();
    let mut builder = AmazonS3Builder::new().with_url(url.as_str()).with_retry(retries());
    for (name, value) in variables {
        // Others share the prefix with us.
        if name.starts_with("AWS_")
            && let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>()
        {
            builder = builder.with_config(key, value);
        }
    }
    check_plain(&builder)?;
    // One object at a time is deleted, and every server can do that.
    let bucket =
        builder.with_disable_bulk_delete(true).build().map_err(|error| explained(&error.to_string()).0)?;
    let prefix = Path::from_url_path(url.path()).map_err(|error| error.to_string())?;
    Ok(PrefixStore::new(bucket, prefix))
}

/// How the client tries again by itself.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig { init_backoff: FIRST_WAIT, max_backoff: LONGEST_WAIT, base: GROWTH },
        max_retries: RETRIES,
        // A server that does not answer at all costs each try the client's whole timeout.
        retry_timeout: Duration::from_secs(10),
    }
}

/// Checked here because the client would refuse each request without saying why.
fn check_plain(builder: &AmazonS3Builder) -> Result<(), String> {
    let value = |key| builder.get_config_value(&key);
    let endpoint = value(AmazonS3ConfigKey::S3Endpoint).or_else(|| value(AmazonS3ConfigKey::Endpoint));
    let is_allowed = value(AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp)).as_deref() == Some("true");
    match endpoint {
        Some(endpoint) if endpoint.starts_with("http://") && !is_allowed => Err(format!(
            "`AWS_ENDPOINT` is `{endpoint}`, without TLS; set `AWS_ALLOW_HTTP` to `true` if nobody else is on the way there"
        )),
        _ => Ok(()),
    }
}

/// Whether S3 says that it has no object of this name. A bucket that is gone, and a server that is no S3, answer 404, too.
pub(super) fn is_absent(error: &object_store::Error) -> bool {
    let is_404 = matches!(error, object_store::Error::NotFound { .. });
    is_404 && element(&error.to_string(), "Code") == Some("NoSuchKey")
}

/// A failed request in words, with what a person must do about it.
pub(super) fn meaning(error: &object_store::Error) -> StoreError {
    use object_store::Error;
    let (text, is_ours) = explained(&error.to_string());
    match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => StoreError::Refused(text),
        _ if is_ours => StoreError::Refused(text),
        _ => StoreError::Unavailable(text),
    }
}

/// What a client says, with the mend if one is known, and whether one is.
fn explained(said: &str) -> (String, bool) {
    // What follows the first `<` is the server's answer.
    let (asked, answer) = said.split_at(said.find('<').unwrap_or(said.len()));
    let asked: String = shortened(asked.trim_end()).chars().take(LONGEST).collect();
    let Some(code) = element(answer, "Code") else {
        let mend = SIGNS.iter().find(|(sign, _)| asked.contains(sign));
        return match mend {
            Some((_, mend)) => (format!("{asked} ({mend})"), true),
            None => (tls::with_remedy(&asked), false),
        };
    };
    let message: String = element(answer, "Message").unwrap_or_default().chars().take(LONGEST).collect();
    match CODES.iter().find(|(codes, _)| codes.contains(&code)) {
        Some((_, mend)) => (format!("{asked} {code}: {message} ({mend})"), true),
        None => (format!("{asked} {code}: {message}"), false),
    }
}

/// Request, time, tries, status: what is left of the client's words without the names of its settings.
fn shortened(asked: &str) -> String {
    let asked = asked.rsplit_once("Error performing ").map_or(asked, |(_, rest)| rest);
    let Some((request, answer)) = asked.split_once(" - ") else { return asked.to_owned() };
    let request = request.split(", max_retries").next().unwrap_or(request);
    let answer = answer.trim_start_matches("Server returned non-2xx status code: ");
    format!("{request}: {answer}")
}

/// The text of an element without children.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    rest.split_once('<').map(|(text, _)| text)
}

/// What a person must do, by S3's code.
const CODES: [(&[&str], &str); 8] = [
    (
        &["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken"],
        "the credentials ran out: put new ones into `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, and \
         start the service again",
    ),
    (&["InvalidAccessKeyId"], "the server does not know the key in `AWS_ACCESS_KEY_ID`"),
    (
        &["SignatureDoesNotMatch"],
        "`AWS_SECRET_ACCESS_KEY` does not belong to `AWS_ACCESS_KEY_ID`, or something on the way changes requests",
    ),
    (
        &["AccessDenied", "AllAccessDisabled", "AccountProblem"],
        "allow the key `s3:GetObject`, `s3:PutObject` and `s3:DeleteObject` on what is in the bucket and `s3:ListBucket` on the \
         bucket, without which an absent object looks like a forbidden one",
    ),
    (&["NoSuchBucket"], "make the bucket, or correct `archive.url` or `AWS_ENDPOINT`"),
    (&["RequestTimeTooSkewed"], "the clock of this machine or of the server's is wrong"),
    (
        &["AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException"],
        "set `AWS_REGION` to the bucket's region",
    ),
    (
        &["InvalidObjectState"],
        "a lifecycle rule moved the object to a class that cannot be read: restore it, and change the rule",
    ),
];

/// The same by the client's own words, where the server gave no code.
const SIGNS: [(&str, &str); 4] = [
    ("AccessKey", "set both `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`"),
    (
        "/latest/api/token",
        "no credentials are set, and this machine has no role: set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`",
    ),
    ("incorrectly configured region", "set `AWS_REGION` to the bucket's region"),
    ("404 Not Found", "that is no answer of S3: correct `AWS_ENDPOINT`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_with_its_mend_and_without_secrets() {
        let request = "Generic S3 error: Error performing GET http://s3/news/a.zst in 4.1s, after 5 retries, max_retries: 5, \
                       retry_timeout: 10s  - Server returned non-2xx status code: 400 Bad Request: ";
        let said = |body: &str| explained(&format!("{request}{body}"));
        let body = "<?xml version=\"1.0\"?>\n<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message>\
                    <Token-0>secret</Token-0></Error>";
        let (text, is_ours) = said(body);
        let wanted = "GET http://s3/news/a.zst in 4.1s, after 5 retries: 400 Bad Request: ExpiredToken: The provided token has \
                      expired. (the credentials ran out";
        assert!(is_ours && text.starts_with(wanted) && !text.contains("secret"), "{text}");
        let (text, is_ours) = said("<Error><Code>SlowDown</Code><Message>Please reduce.</Message></Error>");
        assert!(!is_ours && text.ends_with("400 Bad Request: SlowDown: Please reduce."), "{text}");
        let (text, _) = said("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>");
        assert!(text.contains("`s3:ListBucket`"), "{text}");
        let (text, is_ours) = said("<html>secret</html>");
        assert!(!is_ours && text.ends_with("400 Bad Request:"), "{text}");
    }

    #[test]
    fn a_client_without_an_answer_is_told_with_its_mend() {
        let text = "Generic S3 error: Error performing PUT http://169.254.169.254/latest/api/token in 9s - HTTP error: \
                    error sending request";
        let (text, is_ours) = explained(text);
        assert!(
            is_ours && text.contains("HTTP error: error sending request (no credentials are set"),
            "{text}"
        );
        let (text, is_ours) = explained(
            "Received redirect without LOCATION, this normally indicates an incorrectly configured region",
        );
        assert!(is_ours && text.contains("`AWS_REGION`"), "{text}");
        assert_eq!(explained("connection refused"), ("connection refused".to_owned(), false));
    }
}
