//! The promises of a frontier: each URL once, each claim to one crawler, each site at its pace.
//!
//! The checks also settle what the trait leaves open. A known URL is `known` whatever its new depth. A claim
//! ends by its number, and only while it is leased. A site that was removed and comes back does not honour
//! old claims. The tally counts the last outcome of a URL.
//! Start at [`all`]. The checks are in the modules, by topic.

mod adding;
mod claims;
mod ends;
mod helpers;
mod leaving;
mod schedules;

pub use self::adding::*;
pub use self::claims::*;
pub use self::ends::*;
pub use self::leaving::*;
pub use self::schedules::*;

use super::checks;
use crate::store::Frontier;

checks! { Frontier:
    settings_are_kept_and_replaced,
    a_url_is_known_once,
    a_url_twice_in_one_call_is_known_once,
    sites_may_be_mixed_in_one_call,
    a_url_of_no_seed_is_refused,
    the_page_budget_is_never_exceeded,
    a_raised_page_budget_admits_more,
    a_too_deep_url_is_refused,
    a_known_url_is_never_refused,
    a_shallower_depth_wins,
    a_stronger_reason_wins_and_is_reported_for_fetched_pages,
    adding_ends_the_same_in_any_order,
    a_removed_site_is_forgotten,
    a_claim_of_a_removed_site_is_lost,
    a_claim_carries_what_is_known_of_the_url,
    a_url_is_not_claimed_before_it_is_due,
    a_leased_url_is_claimed_by_nobody_else,
    concurrent_claims_share_no_url,
    an_ended_lease_is_due_again,
    who_waits_for_the_next_turn_misses_none,
    a_call_claims_at_most_one_url_a_site_and_at_most_the_asked_number,
    the_delay_holds_between_two_claims_of_a_site,
    a_raised_delay_holds_from_the_last_claim_and_is_never_lowered,
    a_paused_site_is_not_claimed,
    a_resting_site_is_not_claimed,
    retry_waits_and_counts_attempts,
    a_released_claim_is_due_at_once,
    a_done_url_is_due_again_only_at_its_time,
    an_unchanged_page_keeps_its_content,
    a_completion_after_the_lease_went_elsewhere_is_lost,
    a_late_completion_counts_while_nobody_else_claimed,
    a_claim_ends_once,
    outcomes_are_tallied_once_per_url,
    status_counts_what_is_pending_and_leased,
    released_leases_are_due_again,
    classes_are_served_in_their_order,
    a_completion_says_where_a_url_waits,
    an_allowance_is_spent_and_fills_again,
    a_changed_allowance_keeps_its_tokens,
    a_learnt_delay_holds_and_may_sink,
    a_rest_is_never_shortened,
    a_skipped_claim_costs_nothing,
    a_request_beside_the_claims_takes_a_token,
    what_visits_taught_is_replaced_by_who_read_it,
    a_note_is_taken_for_the_last_fetch_only,
    a_known_url_may_be_asked_for_again,
    requests_are_counted_for_ten_minutes,
    a_page_budget_is_of_a_day,
    what_is_not_asked_for_again_leaves_and_is_remembered,
    what_is_shown_stays_remembered,
    what_has_left_may_come_back,
    a_forgotten_url_is_new_again,
    many_urls_are_remembered_one_by_one,
    the_backlog_leaves_half_of_the_budget,
    the_past_waits_for_tokens,
}
