//! `newslode recall`: prints how much of what sites' listings showed was read, day by day, and why the rest was not.

use newslode_common::time;
use newslode_page::reading::Site;

use crate::args::RecallArgs;
use crate::exit::Exit;
use crate::installation::{self, Setup};
use crate::out;
use crate::queries::recall::{DayCounts, SiteDay, site_days};

const HEAD: &str =
    "day         shown   read  no article  on its way  missed  recall  site, and why articles were missed";

pub(crate) async fn run(args: RecallArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&args.run.target(setup), &setup.config).await?;
    let site = args.site.as_deref().map(Site::of_host);
    let days = site_days(parts.stores.frontier.as_ref(), site, args.days, time::now()).await?;
    if args.json {
        days.iter().try_for_each(out::json_line)?;
        return Ok(Exit::Done);
    }
    if days.is_empty() {
        out::line("No listing has shown anything new since its first visit: visit the sites again later.")?;
        return Ok(Exit::Done);
    }
    out::line(HEAD)?;
    days.iter().try_for_each(|day| out::line(day_line(day)))?;
    Ok(Exit::Done)
}

fn day_line(row: &SiteDay) -> String {
    let DayCounts { read, no_article, on_its_way, missed } = &row.of;
    let recall = row.recall.map_or("-".into(), |share| format!("{:.1} %", share as f64 / 10.0));
    let mut why: Vec<String> = missed.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    if row.refused_by_budget > 0 {
        why.push(format!("{} links refused by max_pages", row.refused_by_budget));
    }
    let missed = missed.values().sum::<u64>() + u64::from(row.refused_by_budget);
    let (day, shown, site) = (&row.day, row.shown, &row.site);
    let why = if why.is_empty() { String::new() } else { format!(": {}", why.join(", ")) };
    format!(
        "{day} {shown:>6} {read:>6} {no_article:>11} {on_its_way:>11} {missed:>7} {recall:>7}  {site}{why}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_a_line_with_its_reasons() {
        let of = DayCounts { read: 1, missed: [("gone", 1)].into(), ..DayCounts::default() };
        let site = Site::of_host("a.test");
        let day =
            SiteDay { site, day: "2023-11-14".into(), shown: 2, of, refused_by_budget: 3, recall: Some(500) };
        let line = day_line(&day);
        assert!(
            line.starts_with("2023-11-14") && line.contains(" 50.0 %  a.test: gone 1, 3 links refused"),
            "{line}"
        );
    }
}
