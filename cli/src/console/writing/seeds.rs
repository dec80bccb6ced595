//! Seeds: adding sites, changing their limits, pausing and removing them.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use maud::html;
use newslode_common::broker::Broker as _;
use newslode_common::message::seed::{SeedMessage, VERSION, check_limits};
use newslode_common::store::SiteSettings;
use newslode_miner::work::seeds;

use super::form::{Form, mark_field};
use crate::console::answer::{PageProblem, PageResult, Problem, unknown_site};
use crate::console::pages::parts::{site_link, site_path};
use crate::console::pages::shell::{NavigationItem, Page, page_response};
use crate::console::snapshot::SiteFacts;
use crate::console::state::Console;
use crate::control::Change;
use crate::queries::audit::Deed;

/// The most seeds of one form.
const MOST: usize = 1_000;

/// A number that may be left out.
fn parse_number<T: std::str::FromStr>(form: &Form, name: &str, meaning: &str) -> Result<Option<T>, Problem> {
    let text = form.get(name);
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| Problem::bad(format!("`{text}` is no number of {meaning}.")))
}

pub(in crate::console) async fn add(State(console): State<Arc<Console>>, form: Form) -> PageResult {
    let (max_pages, max_depth, delay_ms) = parse_limits(&form)?;
    let message = |url: &str| SeedMessage {
        version: VERSION,
        url: Some(if url.contains("://") { url.to_owned() } else { format!("https://{url}/") }),
        max_pages,
        max_depth,
        delay_ms,
        ..SeedMessage::default()
    };
    let messages: Vec<SeedMessage> = form.lines("urls").map(message).collect();
    if messages.is_empty() || messages.len() > MOST {
        return Err(Problem::bad(format!("Name 1 to {MOST} sites, one address a line.")).into());
    }
    apply_seed_messages(&console, &messages).await?;
    let (did, about) = deed_of(&messages);
    form.did(&console, did, &about).await;
    let count = messages.len();
    let what = if count == 1 { "1 site was added".to_owned() } else { format!("{count} sites were added") };
    Ok(console.notices.then("/operations", format!("{what}. {}", console.source.when_seeds_count())))
}

pub(in crate::console) type Limits = (Option<u64>, Option<u32>, Option<u64>);

/// The most pages, links and milliseconds between requests that a form asks for.
///
/// # Errors
/// When one of them is no such number, or larger than anything takes.
pub(in crate::console) fn parse_limits(form: &Form) -> Result<Limits, Problem> {
    let seconds: Option<f64> = parse_number(form, "delay", "seconds")?;
    let delay_ms = match seconds {
        Some(seconds) if seconds.is_finite() && seconds >= 0.0 => Some((seconds * 1_000.0).round() as u64),
        Some(_) => return Err(Problem::bad("The delay is a number of seconds.")),
        None => None,
    };
    let limits =
        (parse_number(form, "max_pages", "pages")?, parse_number(form, "max_depth", "links")?, delay_ms);
    check_limits(limits.0, limits.1, limits.2).map_err(|error| Problem::bad(format!("{error}.")))?;
    Ok(limits)
}

/// What seed messages do, for the audit log. All are of one kind.
pub(in crate::console) fn deed_of(messages: &[SeedMessage]) -> (Deed, String) {
    let of = |message: &SeedMessage| match message {
        SeedMessage { remove: Some(url), .. } => (Deed::RemovedSites, url.clone()),
        SeedMessage { pause: Some(url), .. } => (Deed::PausedSites, url.clone()),
        SeedMessage { forget: Some(url), .. } => (Deed::ForgotPages, url.clone()),
        SeedMessage { url, .. } => (Deed::AddedSites, url.clone().unwrap_or_default()),
    };
    let (deeds, urls): (Vec<Deed>, Vec<String>) = messages.iter().map(of).unzip();
    (deeds.first().copied().unwrap_or(Deed::AddedSites), urls.join(" "))
}

/// Does what seed messages say: here in a run's folder, through the queue for services.
///
/// # Errors
/// When a message is wrong, or the store or broker fails.
pub(in crate::console) async fn apply_seed_messages(
    console: &Console,
    messages: &[SeedMessage],
) -> Result<(), Problem> {
    let commands = messages.iter().cloned().map(SeedMessage::command).collect::<Result<Vec<_>, _>>();
    let commands = commands
        .map_err(|error| Problem::bad(format!("{error}. A seed looks like https://www.example.com")))?;
    for command in &commands {
        seeds::page_of(command).map_err(|error| Problem::bad(format!("{error}.")))?;
    }
    let source = &console.source;
    match &source.run {
        Some(_) => {
            let done = source.change(Change::Seeds(messages.to_vec())).await;
            done.map_err(|error| Problem::away(&error))?;
        }
        None => {
            let broker = source.broker()?;
            for message in messages {
                let body = serde_json::to_vec(message).map_err(|error| Problem::away(&error))?;
                let sent = broker.publish(message.queue(), Bytes::from(body)).await;
                sent.map_err(|error| Problem::without_queues(&error))?;
            }
        }
    }
    console.look_again();
    Ok(())
}

pub(in crate::console) async fn change(
    State(console): State<Arc<Console>>,
    Path(name): Path<String>,
    form: Form,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let known = snapshot.known_site(&name)?;
    let (parts, site) = (&console.source.parts, &known.status.site);
    let held = parts.stores.frontier.site(site).await?.ok_or_else(|| unknown_site(&name))?;
    let (settings, did, said) = match form.get("act") {
        "pause" => {
            let said = "It is paused: nothing more is asked of it.";
            (SiteSettings { paused: true, ..held }, Deed::PausedSites, said)
        }
        "resume" => (SiteSettings { paused: false, ..held }, Deed::ResumedSite, "It goes on."),
        "save" => {
            let (max_pages, max_depth, delay_ms) = parse_limits(&form)?;
            let settings = SiteSettings {
                max_pages: max_pages.unwrap_or(held.max_pages),
                max_depth: max_depth.unwrap_or(held.max_depth),
                delay_ms: delay_ms.unwrap_or(held.delay_ms),
                ..held
            };
            (settings, Deed::LimitedSite, "Its limits were changed.")
        }
        "remove" if form.get("sure") == "yes" => {
            let remove = Some(format!("https://{site}/"));
            apply_seed_messages(
                &console,
                &[SeedMessage { version: VERSION, remove, ..SeedMessage::default() }],
            )
            .await?;
            form.did(&console, Deed::RemovedSites, site.as_str()).await;
            let said = format!("{site} was removed. {}", console.source.when_seeds_count());
            return Ok(console.notices.then("/operations", said));
        }
        "remove" => return page_response(&console, &snapshot, removal_page(known, &form)),
        other => {
            return Err(PageProblem::from(Problem::bad(format!(
                "`{other}` is nothing that can be done to a site."
            ))));
        }
    };
    let change = Change::Settings { site: site.clone(), settings: settings.clone() };
    console.source.change(change).await.map_err(|error| Problem::away(&error))?;
    let about = match did {
        Deed::LimitedSite => {
            let SiteSettings { max_pages, max_depth, delay_ms, .. } = settings;
            format!("{site}: {max_pages} pages a day, {max_depth} links away, {delay_ms} ms apart")
        }
        _ => site.to_string(),
    };
    form.did(&console, did, &about).await;
    console.look_again();
    Ok(console.notices.then(&site_path(site), said.to_owned()))
}

/// Asks before a site is removed.
fn removal_page(known: &SiteFacts, form: &Form) -> Page {
    let site = &known.status.site;
    let path = site_path(site);
    Page {
        place: NavigationItem::Sites,
        title: format!("Remove {site}?"),
        trail: html! { a href="/sites" { "Sites" } " / " (site_link(site)) },
        lead: html! {
            p.lead {
                "Its " (known.articles) " articles, its pages, what was learnt of it and its counts are forgotten. This cannot be undone. To stop \
                 only asking it, pause it."
            }
        },
        main: html! {
            form.acts method="post" action={ (path) "/limits" } {
                (mark_field(&form.mark))
                input type="hidden" name="sure" value="yes";
                button.danger name="act" value="remove" { "Remove it and all that is known of it" }
                button.plain name="act" value="pause" { "Pause it instead" }
                a href=(path) { "Leave it as it is" }
            }
        },
    }
}
