//! What is known of sites: their templates and the pages that people corrected.

use std::sync::Arc;

use newslode_common::config::Config;
use newslode_common::store::SiteState;
use newslode_common::time::iso;
use newslode_miner::mining::templates::{Dropped, Live, Reason};
use newslode_miner::work::knowledge::Knowledge;
use newslode_page::reading::Site;
use newslode_page::template::Template;
use serde_json::{Value, json};

use crate::exit::hinted;
use crate::installation::Target;
use crate::{engine, out, services};

/// Opens the store of a run or of the services.
pub(crate) async fn open_site_state(target: &Target, config: &Config) -> anyhow::Result<Arc<dyn SiteState>> {
    Ok(match target {
        Target::Run(folder) => Arc::new(engine::open_state(folder)?),
        Target::Services => Arc::new(services::connect_store(config).await?),
    })
}

/// Reads the knowledge of a site.
pub(crate) async fn read_knowledge(state: &dyn SiteState, site: &Site) -> anyhow::Result<Knowledge> {
    let (knowledge, _) = Knowledge::read(state, site).await?;
    if knowledge.is_empty() {
        return Err(hinted(
            format!("nothing is known about `{site}`"),
            "newslode template list shows the sites with corrections or templates",
        ));
    }
    Ok(knowledge)
}

/// What is known of a site, for programs.
pub(crate) fn knowledge_json(site: &Site, knowledge: &Knowledge) -> Value {
    let templates = &knowledge.templates;
    let (seen, accepted) = templates.acceptance();
    let live = templates.live().iter().map(|live| {
        json!({
            "version": live.version, "state": "in use", "learnt_at": iso(live.learnt_at), "learnt_from": live.template.pages,
            "vertices": live.template.pattern.vertices.len(), "varying": live.template.slots.len(), "since": iso(live.since),
            "seen": live.seen, "accepted": live.accepted, "last_at": iso(live.last_at),
        })
    });
    let dropped = templates.dropped().iter().map(|dropped| {
        let reason = match dropped.reason {
            Reason::LayoutChanged { .. } => "layout_changed",
            Reason::Crowded => "crowded",
        };
        json!({
            "version": dropped.version, "state": "dropped", "reason": reason, "since": iso(dropped.since),
            "accepted": dropped.accepted, "last_at": iso(dropped.last_at), "dropped_at": iso(dropped.dropped_at),
        })
    });
    json!({
        "site": site.to_string(),
        "articles": seen,
        "accepted": accepted,
        "waiting": templates.waiting().len(),
        "corrected": knowledge.site.lessons().iter().map(|lesson| &lesson.url).collect::<Vec<_>>(),
        "templates": live.chain(dropped).collect::<Vec<_>>(),
    })
}

/// Describes the use of a template.
pub(crate) fn template_usage(live: &Live<Template>) -> String {
    format!(
        "template v{}: {} vertices, {} passages vary; learnt {} of {} pages; accepts {:.0} % ({} of {} pages fetched \
         since {}), the last of {}",
        live.version,
        live.template.pattern.vertices.len(),
        live.template.slots.len(),
        out::time(live.learnt_at),
        live.template.pages,
        live.acceptance() * 100.0,
        live.accepted,
        live.seen,
        out::time(live.since),
        out::time(live.last_at)
    )
}

/// Describes why and when a template was dropped.
pub(crate) fn dropped_text(dropped: &Dropped<Template>) -> String {
    let (version, at, last) = (dropped.version, out::time(dropped.dropped_at), out::time(dropped.last_at));
    let why = match dropped.reason {
        Reason::LayoutChanged { acceptance } => format!(
            "the layout changed after {last}; until then it accepted {:.0} % of the pages",
            acceptance * 100.0
        ),
        Reason::Crowded => format!("the site has too many; it was last used on {last}"),
    };
    let (accepted, since) = (dropped.accepted, out::time(dropped.since));
    format!("template v{version}: dropped {at}: {why}, {accepted} since {since}")
}

#[cfg(test)]
mod tests {
    use newslode_page::time::Timestamp;

    use super::*;

    #[test]
    fn the_time_of_a_change_is_told() {
        let dropped = Dropped {
            version: 2,
            reason: Reason::LayoutChanged { acceptance: 0.951 },
            since: Timestamp(0),
            last_at: Timestamp(1_717_200_000_000),
            dropped_at: Timestamp(1_717_200_061_000),
            accepted: 71,
            template: None,
        };
        assert_eq!(
            dropped_text(&dropped),
            "template v2: dropped 2024-06-01 00:01:01Z: the layout changed after 2024-06-01 00:00:00Z; until then it \
             accepted 95 % of the pages, 71 since 1970-01-01 00:00:00Z"
        );
        assert_eq!(out::time(Timestamp(u64::MAX)), "9999-12-30 22:00:00Z");
    }
}
