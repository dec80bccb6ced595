//! `newslode init`: writes what a monitor on one machine needs, and says how to start it.
//!
//! A file that exists is kept, unless `--force` is given; then it is moved aside. The unit names fixed places, so its files are
//! the same whoever writes them and wherever; the steps that are printed bring them there.

use std::fs::Permissions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use anyhow::Context as _;
use newslode_common::config::{Config, SYSTEM_FILE};

use crate::args::InitArgs;
use crate::exit::{Exit, hinted};
use crate::out;
use crate::queries::tokens::random_secret;

const CONFIGURATION: &str = include_str!("init/newslode.toml");
const UNIT: &str = include_str!("init/newslode.service");
const COMPOSE: &str = include_str!("init/compose.yaml");
const SEEDS: &str = "\
# The sites to follow: one address a line, such as a front page. Lines that start with `#` are skipped.
#
# Edit this file while Newslode runs: it is read again within seconds. The site of a new line is added; a removed line pauses its
# site, and `newslode seed remove` forgets one.
#
# https://www.example.com
# https://news.example.org
";

/// Names of the files.
const CONFIGURATION_FILE: &str = "newslode.toml";
const SEEDS_FILE: &str = "seeds.txt";
const TOKEN_FILE: &str = "token";
const UNIT_FILE: &str = "newslode.service";
const COMPOSE_FILE: &str = "compose.yaml";
/// The run below the folder, unless a service keeps it.
const RUN: &str = "run";

/// Where the unit expects the program if it is now where services cannot see it.
const USUAL_PROGRAM: &str = "/usr/local/bin/newslode";
/// Folders that the unit hides from the service.
const HIDDEN: [&str; 5] = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"];
/// The user of the image, and its group.
const IMAGE_USER: u32 = 10_001;
/// The network of the one container, and the address at which it sees who comes through a published port.
const SUBNET: &str = "10.231.47.0/28";
const GATEWAY: &str = "10.231.47.1";

/// Mode of files, and of those that hold secrets.
const READABLE: u32 = 0o644;
const SECRET: u32 = 0o600;

pub(crate) fn run(args: &InitArgs) -> anyhow::Result<Exit> {
    let configuration = configuration(args.contact.as_deref())?;
    let folder = &args.folder;
    let cannot = || format!("cannot make the folder `{}`", folder.display());
    if !folder.exists() {
        std::fs::create_dir_all(folder).with_context(cannot)?;
        if args.systemd {
            std::fs::set_permissions(folder, Permissions::from_mode(0o755)).with_context(cannot)?;
        }
    }
    let writer = Writer { folder, replaces: args.force, ignores_umask: args.systemd };
    let is_configured = writer.write(CONFIGURATION_FILE, &configuration, READABLE)?;
    writer.write(SEEDS_FILE, SEEDS, READABLE)?;
    let is_new_token = writer.write(TOKEN_FILE, &format!("{}\n", random_secret()?), SECRET)?;
    let program = std::env::current_exe().context("cannot find out where this program is")?;
    if args.systemd {
        writer.write(UNIT_FILE, &UNIT.replace("@PROGRAM@", &unit_program(&program)?), READABLE)?;
    }
    if args.compose {
        let user = container_user(folder, is_new_token)?;
        writer.write(COMPOSE_FILE, &compose(user), READABLE)?;
    }
    out::line("")?;
    for line in next_steps(args, &program, is_configured)? {
        out::line(line)?;
    }
    Ok(Exit::Done)
}

/// The configuration with this contact.
///
/// # Errors
/// When sites could not reach anybody there.
fn configuration(contact: Option<&str>) -> anyhow::Result<String> {
    let line = match contact {
        Some(contact) => format!("contact = {}", toml::Value::from(contact)),
        None => "# contact = \"\"".to_owned(),
    };
    let text = CONFIGURATION.replace("@CONTACT@", &line);
    let config: Config = toml::from_str(&text)?;
    config.validate()?;
    if contact.is_some() {
        config.crawler.agent()?;
    }
    Ok(text)
}

/// Writes files to a folder, and says so.
struct Writer<'f> {
    folder: &'f Path,
    /// Whether files that exist are moved aside.
    replaces: bool,
    /// Whether files get their modes whatever the umask is: root's may keep them from the service's user.
    ignores_umask: bool,
}

impl Writer<'_> {
    /// Writes a file, all of it or nothing, and says whether it did: one that exists may have to be kept.
    fn write(&self, name: &str, text: &str, mode: u32) -> anyhow::Result<bool> {
        let file = self.folder.join(name);
        let shown = file.display();
        let cannot = || format!("cannot write `{shown}`");
        let mut moved = String::new();
        if self.replaces {
            let old = self.folder.join(format!("{name}.old"));
            match std::fs::rename(&file, &old) {
                Ok(()) => moved = format!(" (the old one is {})", old.display()),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(cannot),
            }
        }
        let mut fresh = tempfile::Builder::new();
        let mut fresh =
            fresh.permissions(Permissions::from_mode(mode)).tempfile_in(self.folder).with_context(cannot)?;
        if self.ignores_umask {
            fresh.as_file().set_permissions(Permissions::from_mode(mode)).with_context(cannot)?;
        }
        fresh.write_all(text.as_bytes()).with_context(cannot)?;
        fresh.as_file().sync_all().with_context(cannot)?;
        match fresh.persist_noclobber(&file) {
            Ok(_) => {
                out::line(format!("wrote {shown}{moved}"))?;
                Ok(true)
            }
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                out::line(format!("kept  {shown}, which exists (--force replaces it)"))?;
                Ok(false)
            }
            Err(error) => Err(error.error).with_context(cannot),
        }
    }
}

/// The program as the unit starts it.
///
/// # Errors
/// When its path cannot be written into a unit.
fn unit_program(program: &Path) -> anyhow::Result<String> {
    if is_hidden(program) {
        return Ok(USUAL_PROGRAM.to_owned());
    }
    let text = program.to_str().filter(|text| {
        // Everything else has a meaning in some place of a unit.
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-+".contains(letter))
    });
    text.map(str::to_owned).ok_or_else(|| {
        hinted(
            format!("a unit cannot name `{}`", program.display()),
            format!("install the program as {USUAL_PROGRAM}, and run that one"),
        )
    })
}

/// Whether the unit hides this path from the service.
fn is_hidden(path: &Path) -> bool {
    HIDDEN.iter().any(|folder| path.starts_with(folder))
}

fn compose((user, group): (u32, u32)) -> String {
    let text = COMPOSE.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    let text = text.replace("@USER@", &format!("{user}:{group}"));
    text.replace("@SUBNET@", SUBNET).replace("@GATEWAY@", GATEWAY)
}

/// The user and group of the container: those who own the token. What root writes is handed to the user of the image, so that the
/// container does not run as root. Makes the folder of the run, which an engine would make as root.
fn container_user(folder: &Path, is_new_token: bool) -> anyhow::Result<(u32, u32)> {
    let (token, run) = (folder.join(TOKEN_FILE), folder.join(RUN));
    match std::fs::DirBuilder::new().mode(0o700).create(&run) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("cannot make the folder `{}`", run.display()));
        }
        _ => {}
    }
    let about = std::fs::metadata(&token).with_context(|| format!("cannot read `{}`", token.display()))?;
    if about.uid() != 0 {
        return Ok((about.uid(), about.gid()));
    }
    for path in [&token, &run] {
        // A token that is older may be another service's, too.
        if path == &token && !is_new_token {
            continue;
        }
        chown(path, Some(IMAGE_USER), Some(IMAGE_USER))
            .with_context(|| format!("cannot give `{}` to the container's user", path.display()))?;
    }
    Ok((IMAGE_USER, IMAGE_USER))
}

/// What to do next, in lines.
fn next_steps(args: &InitArgs, program: &Path, is_configured: bool) -> anyhow::Result<Vec<String>> {
    let file = |name: &str| args.folder.join(name).display().to_string();
    let mut steps = Vec::new();
    if args.contact.is_none() || !is_configured {
        let configuration = file(CONFIGURATION_FILE);
        steps.push((
            format!("Check that {configuration} says where sites can reach you: crawler.contact"),
            vec![],
        ));
    }
    steps.push((format!("Name the sites, one address a line: {}", file(SEEDS_FILE)), vec![]));
    if args.systemd {
        steps
            .push(("Install it, and start it now and at each boot".to_owned(), installation(args, program)?));
    }
    if args.compose {
        let command = format!("docker compose --file {} up --detach", file(COMPOSE_FILE));
        steps.push(("Start the container".to_owned(), vec![command]));
    }
    if !args.systemd && !args.compose {
        let command = format!(
            "newslode watch --config {} --seeds {} --out {} --token-file {}",
            file(CONFIGURATION_FILE),
            file(SEEDS_FILE),
            file(RUN),
            file(TOKEN_FILE)
        );
        steps.push(("Start it".to_owned(), vec![command]));
    }
    let token = if args.systemd {
        "sudo cat /etc/newslode/token".to_owned()
    } else {
        format!("cat {}", file(TOKEN_FILE))
    };
    steps.push(("Open http://127.0.0.1:8080/ and sign in with the token".to_owned(), vec![token]));
    let mut lines = vec!["Next:".to_owned()];
    for (number, (step, commands)) in (1..).zip(steps) {
        lines.push(format!("{number}. {step}"));
        lines.extend(commands.into_iter().map(|command| format!("     {command}")));
    }
    Ok(lines)
}

/// The commands that make a service of the files.
fn installation(args: &InitArgs, program: &Path) -> anyhow::Result<Vec<String>> {
    let file = |name: &str| args.folder.join(name).display().to_string();
    let place = Path::new(SYSTEM_FILE).parent().unwrap_or(Path::new("/"));
    let mut commands = Vec::new();
    if is_hidden(program) {
        commands.push(format!("sudo install -m 755 {} {USUAL_PROGRAM}", program.display()));
    }
    commands.push(
        "sudo useradd --system --user-group --no-create-home --home-dir /var/lib/newslode --shell /usr/sbin/nologin newslode"
            .to_owned(),
    );
    let is_there = args.folder.canonicalize().is_ok_and(|folder| folder == place);
    if !is_there {
        let place = place.display();
        commands.push(format!("sudo install -d {place}"));
        commands.push(format!(
            "sudo install -m 644 {} {} {place}",
            file(CONFIGURATION_FILE),
            file(SEEDS_FILE)
        ));
        commands.push(format!("sudo install -m 600 {} {place}", file(TOKEN_FILE)));
    }
    commands.push(format!("sudo install -m 644 {} /etc/systemd/system", file(UNIT_FILE)));
    commands.push("sudo systemctl daemon-reload".to_owned());
    commands.push("sudo systemctl enable --now newslode".to_owned());
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::engine::seeds;
    use crate::queries::tokens::read_token_file;

    fn arguments(folder: &Path) -> InitArgs {
        let contact = Some("you@example.org".to_owned());
        InitArgs { folder: folder.to_owned(), contact, systemd: false, compose: false, force: false }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_folder_gets_files_that_the_program_takes() {
        let folder = tempfile::tempdir().unwrap();
        let monitor = folder.path().join("a/monitor");
        run(&arguments(&monitor)).unwrap();
        assert_eq!(names(&monitor), [CONFIGURATION_FILE, SEEDS_FILE, TOKEN_FILE]);
        let config: Config =
            toml::from_str(&std::fs::read_to_string(monitor.join(CONFIGURATION_FILE)).unwrap()).unwrap();
        assert!(config.crawler.agent().unwrap().ends_with("(+you@example.org)"));
        assert_eq!(seeds::collect(&[], Some(&monitor.join(SEEDS_FILE))).unwrap(), []);
        read_token_file(&monitor.join(TOKEN_FILE)).unwrap();
        let mode = |name: &str| std::fs::metadata(monitor.join(name)).unwrap().mode() & 0o777;
        assert_eq!((mode(TOKEN_FILE), mode(SEEDS_FILE) & 0o400), (0o600, 0o400));
    }

    #[test]
    fn files_that_exist_are_kept_or_moved_aside() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(SEEDS_FILE), "https://www.example.com\n").unwrap();
        run(&arguments(folder.path())).unwrap();
        let token = read(TOKEN_FILE);
        let mut again = InitArgs { systemd: true, compose: true, ..arguments(folder.path()) };
        run(&again).unwrap();
        assert_eq!(
            (read(SEEDS_FILE).as_str(), read(TOKEN_FILE)),
            ("https://www.example.com\n", token.clone())
        );
        let all = [COMPOSE_FILE, UNIT_FILE, CONFIGURATION_FILE, RUN, SEEDS_FILE, TOKEN_FILE];
        assert_eq!(names(folder.path()), all);
        let unit = std::fs::metadata(folder.path().join(UNIT_FILE)).unwrap();
        assert_eq!(unit.mode() & 0o777, READABLE, "the service's user reads what root writes");
        again.force = true;
        run(&again).unwrap();
        let old = |name: &str| read(&format!("{name}.old"));
        assert_eq!((old(SEEDS_FILE).as_str(), old(TOKEN_FILE)), ("https://www.example.com\n", token.clone()));
        assert!(read(SEEDS_FILE) == SEEDS && read(TOKEN_FILE) != token);
    }

    #[test]
    fn what_the_configuration_shows_as_defaults_are_the_defaults() {
        let is_shown = |line: &&str| {
            let key = line.strip_prefix("# ").and_then(|line| line.split_once(" = ")).map(|(key, _)| key);
            key.is_some_and(|key| key.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'))
        };
        let text = configuration(None).unwrap();
        assert!(text.lines().filter(is_shown).count() > 8, "{text}");
        let all: Vec<&str> =
            text.lines().map(|line| if is_shown(&line) { &line[2..] } else { line }).collect();
        assert_eq!(toml::from_str::<Config>(&all.join("\n")).unwrap(), Config::default());
    }

    #[test]
    fn a_contact_that_reaches_nobody_is_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        for wrong in ["", "me", "a\"\nb@example.org"] {
            let contact = Some(wrong.to_owned());
            assert!(run(&InitArgs { contact, ..arguments(folder.path()) }).is_err(), "{wrong}");
        }
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn the_unit_starts_a_program_that_a_service_can_see() {
        let program = |path: &str| unit_program(&PathBuf::from(path)).ok();
        assert_eq!(program("/usr/bin/newslode").as_deref(), Some("/usr/bin/newslode"));
        assert_eq!(program("/home/ann/target/release/newslode").as_deref(), Some(USUAL_PROGRAM));
        assert_eq!(program("/opt/a b/newslode"), None);
    }
}
