//! Three days of a small living world.

use newslode_common::schedule::ScheduleConfig;
use newslode_newsworld::living::LivingSpec;

use super::*;

fn three_days(ablation: Ablation) -> FollowReport {
    let spec = LivingSpec { world: 5, sites: 3, days: 3, mishaps: false, ..LivingSpec::default() };
    follow(&spec, &ScheduleConfig::default(), ablation, None, |_| {}).unwrap()
}

#[test]
fn three_days_are_followed_politely_and_better_than_by_one_queue() {
    let report = three_days(Ablation::None);
    let figures = &report.figures;
    eprintln!("{report:?}");
    assert!(figures.articles > 50, "{}", figures.articles);
    assert!(figures.within_1h >= 0.93 && figures.at_end >= 0.99, "{} {}", figures.within_1h, figures.at_end);
    assert!(figures.delay_median_s <= 900.0, "{}", figures.delay_median_s);
    assert_eq!((report.impolite_sites, figures.avoidable_losses), (0, 0));
    let one_queue = three_days(Ablation::OneQueue).figures;
    assert!(
        one_queue.within_1h < figures.within_1h,
        "one queue: {} ≥ {}",
        one_queue.within_1h,
        figures.within_1h
    );
}
