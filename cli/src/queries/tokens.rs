//! Tokens of the console: those that `newslode token` makes, kept as hashes, and the one in a file.
//!
//! Named tokens are in `console-tokens.json` in a run's folder, or in a value of the services' store, so all consoles of an
//! installation know the same ones. A running console looks at the list every few seconds ([`TokenStore::read`]).

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::config::mode_open_to_others;
use newslode_common::store::SiteState;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::exit::hinted;

/// The file of a run's folder.
pub(crate) const FILE: &str = "console-tokens.json";
/// Locked by whoever changes that file.
const LOCK: &str = "console-tokens.lock";
/// The value of the services' store.
const VALUE: &str = "console-tokens";
/// The version of the list that this build writes and reads.
const VERSION: u32 = 1;
/// The most tokens of an installation.
const MOST: usize = 1_000;
/// After so many writers that were first, a change is given up.
const ROUNDS: usize = 20;
/// The fewest characters of a token.
const LEAST: usize = 16;
/// The fewest different characters of a token.
const LEAST_DIFFERENT: usize = 8;

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// Read, where reading asks for a token.
    Read,
    /// Change things, too.
    Write,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Write => "write",
        }
    }
}

/// A token that `newslode token add` made, without what is secret of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedToken {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// In milliseconds since 1970.
    pub(crate) created: Timestamp,
    /// From when on it is refused; `None`: never.
    pub(crate) expires: Option<Timestamp>,
    /// BLAKE3 of the token, as hexadecimal digits. The token has 256 random bits, so nobody finds it by its hash.
    hash: String,
}

impl NamedToken {
    pub(crate) fn is_valid(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }

    /// The hash of the token; `None` if the list was damaged by hand.
    pub(crate) fn hash(&self) -> Option<blake3::Hash> {
        blake3::Hash::from_hex(&self.hash).ok()
    }
}

/// All named tokens of an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenList {
    version: u32,
    pub(crate) tokens: Vec<NamedToken>,
}

impl Default for TokenList {
    fn default() -> TokenList {
        TokenList { version: VERSION, tokens: Vec::new() }
    }
}

impl TokenList {
    fn parse(json: &[u8], place: &dyn std::fmt::Display) -> anyhow::Result<TokenList> {
        let list: TokenList =
            serde_json::from_slice(json).with_context(|| format!("cannot read the tokens in {place}"))?;
        if list.version != VERSION {
            let version = list.version;
            anyhow::bail!("the tokens in {place} have version {version}, this build reads version {VERSION}");
        }
        Ok(list)
    }

    /// Adds a token of this name and returns it, the only time that it is known.
    ///
    /// # Errors
    /// When the name is taken or no name, or there are too many.
    pub(crate) fn add(
        &mut self,
        name: &str,
        role: Role,
        now: Timestamp,
        expires: Option<Timestamp>,
    ) -> anyhow::Result<String> {
        let is_name = (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte));
        if !is_name {
            return Err(hinted(
                format!("`{name}` is no name of a token"),
                "take up to 64 letters, digits and -_.@, such as the person's or program's name",
            ));
        }
        // The name of an expired token may be used again.
        self.tokens.retain(|token| token.name != name || token.is_valid(now));
        if self.tokens.iter().any(|token| token.name == name) {
            return Err(hinted(
                format!("there is a token `{name}` already"),
                format!("take another name, or revoke it first: newslode token revoke {name}"),
            ));
        }
        if self.tokens.len() >= MOST {
            return Err(hinted(format!("there are {MOST} tokens already"), "revoke some"));
        }
        let token = random_secret()?;
        let hash = hash_of(&token).to_hex().to_string();
        self.tokens.push(NamedToken { name: name.to_owned(), role, created: now, expires, hash });
        Ok(token)
    }

    /// Removes the token of this name.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn revoke(&mut self, name: &str) -> anyhow::Result<()> {
        let before = self.tokens.len();
        self.tokens.retain(|token| token.name != name);
        if self.tokens.len() < before {
            return Ok(());
        }
        Err(hinted(format!("there is no token `{name}`"), "newslode token list shows their names"))
    }
}

/// The hash by which a token is known.
pub(crate) fn hash_of(token: &str) -> blake3::Hash {
    blake3::hash(token.as_bytes())
}

/// A secret of 256 random bits that nobody can guess.
///
/// # Errors
/// When the system gives no random bytes.
pub(crate) fn random_secret() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}

/// Where the named tokens of an installation are.
#[derive(Clone)]
pub(crate) enum TokenStore {
    /// In a run's folder.
    Folder(PathBuf),
    /// In the services' store.
    Services(Arc<dyn SiteState>),
}

impl TokenStore {
    /// All tokens; an installation without a list has none.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub(crate) async fn read(&self) -> anyhow::Result<TokenList> {
        match self {
            TokenStore::Folder(folder) => read_file(&folder.join(FILE)),
            TokenStore::Services(state) => match state.value(VALUE).await? {
                Some((_, bytes)) => TokenList::parse(&bytes, &"the store"),
                None => Ok(TokenList::default()),
            },
        }
    }

    /// Changes the list, whoever else does so at the same time.
    ///
    /// # Errors
    /// When the change is refused, or the list cannot be read or written.
    pub(crate) async fn change<T>(
        &self,
        mut change: impl FnMut(&mut TokenList) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        match self {
            TokenStore::Folder(folder) => {
                let lock = private_file(&folder.join(LOCK), false);
                let lock =
                    lock.with_context(|| format!("cannot keep tokens in the folder `{}`", folder.display()))?;
                lock.lock()?;
                let file = folder.join(FILE);
                let mut list = read_file(&file)?;
                let done = change(&mut list)?;
                write_private(&file, &serde_json::to_vec_pretty(&list)?)
                    .with_context(|| format!("cannot write the tokens to `{}`", file.display()))?;
                Ok(done)
            }
            TokenStore::Services(state) => {
                for _ in 0..ROUNDS {
                    let (number, mut list) = match state.value(VALUE).await? {
                        Some((number, bytes)) => (Some(number), TokenList::parse(&bytes, &"the store")?),
                        None => (None, TokenList::default()),
                    };
                    let done = change(&mut list)?;
                    let bytes = Bytes::from(serde_json::to_vec(&list)?);
                    if state.put_value(VALUE, number, bytes).await?.is_some() {
                        return Ok(done);
                    }
                }
                anyhow::bail!("others keep changing the tokens at the same time")
            }
        }
    }
}

fn read_file(file: &Path) -> anyhow::Result<TokenList> {
    match std::fs::read(file) {
        Ok(json) => TokenList::parse(&json, &format!("`{}`", file.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(TokenList::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read the tokens in `{}`", file.display())),
    }
}

/// Opens a file that only its owner may read and write.
fn private_file(file: &Path, is_new: bool) -> std::io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).create_new(is_new).mode(0o600).open(file)
}

/// Writes a file that only its owner may read, all of it or nothing.
///
/// # Errors
/// When the folder cannot be written.
pub(crate) fn write_private(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut fresh = file.as_os_str().to_owned();
    fresh.push(format!(".{}", std::process::id()));
    let fresh = PathBuf::from(fresh);
    match std::fs::remove_file(&fresh) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut open = private_file(&fresh, true)?;
    open.write_all(bytes)?;
    open.sync_all()?;
    std::fs::rename(&fresh, file)
}

/// Checks that nobody but a file's owner and group may read it, and only its owner may change it.
///
/// # Errors
/// When others may, or the file is not there.
pub(crate) fn refuse_open_file(file: &Path, what: &str) -> anyhow::Result<()> {
    let shown = file.display();
    let mode = mode_open_to_others(file).with_context(|| format!("cannot read the {what} in `{shown}`"))?;
    if let Some(mode) = mode {
        return Err(hinted(
            format!("others may read or change the {what} file `{shown}` (mode {mode:03o})"),
            format!(
                "take that right away, and replace what is in it if somebody may have read it: chmod 600 {shown}"
            ),
        ));
    }
    Ok(())
}

/// Reads the token of a file.
///
/// # Errors
/// When the file cannot be read, others may read it, or the token is weak.
pub(crate) fn read_token_file(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    refuse_open_file(file, "token")?;
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read the token in `{shown}`"))?;
    let token = text.trim();
    match weakness(token) {
        None => Ok(token.to_owned()),
        Some(weakness) => Err(hinted(
            format!("the token in `{shown}` {weakness}"),
            format!("make one: (umask 077; openssl rand -hex 32 > {shown})"),
        )),
    }
}

/// Why a token could be guessed.
pub(crate) fn weakness(token: &str) -> Option<String> {
    let letters: Vec<char> = token.to_lowercase().chars().collect();
    let different: std::collections::BTreeSet<char> = letters.iter().copied().collect();
    let repeats = |period: usize| letters.iter().skip(period).eq(letters.iter().take(letters.len() - period));
    if letters.len() < LEAST {
        Some(format!("has fewer than {LEAST} characters"))
    } else if different.len() < LEAST_DIFFERENT {
        Some(format!("has fewer than {LEAST_DIFFERENT} different characters"))
    } else if (1..=letters.len() / 2).any(repeats) {
        Some("is one short text, repeated".into())
    } else if unforeseen(&letters) < LEAST / 2 {
        Some("is made of words and sequences that everybody tries first".into())
    } else {
        None
    }
}

/// The number of characters that neither continue a sequence such as `1234` or `cba` nor belong to a word that many take.
fn unforeseen(letters: &[char]) -> usize {
    const WORDS: [&str; 10] = [
        "password", "passwort", "changeme", "secret", "newslode", "console", "token", "admin", "letmein",
        "qwerty",
    ];
    let text = WORDS.iter().fold(letters.iter().collect::<String>(), |text, word| text.replace(word, "\n"));
    let letters: Vec<u32> = text.chars().filter(|letter| *letter != '\n').map(u32::from).collect();
    let is_next = |pair: &[u32]| matches!(pair, [a, b] if a.abs_diff(*b) <= 1);
    letters.len() - letters.windows(2).filter(|pair| is_next(pair)).count()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    fn mode(file: &Path) -> u32 {
        std::fs::metadata(file).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn tokens_are_added_once_kept_as_hashes_and_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let store = TokenStore::Folder(folder.path().to_owned());
        assert_eq!(store.read().await.unwrap(), TokenList::default());
        let token = store.change(|list| list.add("ann", Role::Write, NOW, None)).await.unwrap();
        let list = store.read().await.unwrap();
        assert_eq!(list.tokens[0].hash().unwrap(), hash_of(&token));
        assert_eq!((weakness(&token), list.tokens[0].role), (None, Role::Write));
        let file = folder.path().join(FILE);
        assert!(!std::fs::read_to_string(&file).unwrap().contains(&token));
        assert_eq!(mode(&file), 0o600);
        let error = store.change(|list| list.add("ann", Role::Read, NOW, None)).await.unwrap_err();
        assert!(error.to_string().contains("`ann` already"), "{error}");
        store.change(|list| list.revoke("ann")).await.unwrap();
        assert!(store.read().await.unwrap().tokens.is_empty());
        assert!(store.change(|list| list.revoke("ann")).await.is_err());
        for wrong in ["", "a b", "<x>", &"x".repeat(65)] {
            assert!(store.change(|list| list.add(wrong, Role::Read, NOW, None)).await.is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_expired_token_is_not_valid_and_leaves_its_name() {
        let mut list = TokenList::default();
        list.add("ann", Role::Read, NOW, Some(Timestamp(NOW.0 + 10))).unwrap();
        assert!(list.tokens[0].is_valid(NOW) && !list.tokens[0].is_valid(Timestamp(NOW.0 + 10)));
        assert!(list.add("ann", Role::Read, NOW, None).is_err());
        list.add("ann", Role::Read, Timestamp(NOW.0 + 10), None).unwrap();
        assert_eq!(list.tokens.len(), 1);
    }

    #[tokio::test]
    async fn damaged_and_newer_lists_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let store = TokenStore::Folder(folder.path().to_owned());
        for (json, wanted) in [("{", FILE), ("{\"version\":2,\"tokens\":[]}", "version 2")] {
            std::fs::write(folder.path().join(FILE), json).unwrap();
            let error = store.read().await.unwrap_err();
            assert!(format!("{error:#}").contains(wanted), "{error:#}");
            assert!(store.change(|list| list.revoke("x")).await.is_err());
        }
    }

    #[test]
    fn weak_tokens_are_known() {
        for weak in [
            "",
            "short",
            "aaaaaaaaaaaaaaaaaaaaaaaa",
            "abcabcabcabcabcabcabc",
            "x7f!q2kzx7f!q2kz",
            "0123456789abcdef",
            "passwordpassword1",
            "newslode-secret-token-1",
            "abcdefghijklmnopqrstuvwxyz",
        ] {
            assert!(weakness(weak).is_some(), "{weak}");
        }
        for strong in [
            "a token that nobody guesses",
            "3f9c1e0a7bd24586",
            "correct horse battery",
            &random_secret().unwrap(),
        ] {
            assert_eq!(weakness(strong), None, "{strong}");
        }
    }

    #[test]
    fn a_token_file_that_others_may_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "3f9c1e0a7bd24586\n").unwrap();
        let set = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        for open in [0o644, 0o604, 0o660, 0o602] {
            set(open);
            let error = read_token_file(&file).unwrap_err();
            assert!(error.to_string().contains("others may read or change"), "{open:o}: {error}");
        }
        for closed in [0o600, 0o400, 0o440] {
            set(closed);
            assert_eq!(read_token_file(&file).unwrap(), "3f9c1e0a7bd24586");
        }
        set(0o600);
        std::fs::write(&file, "short").unwrap();
        assert!(read_token_file(&file).unwrap_err().to_string().contains("fewer than 16"));
    }
}
