//! The promises of mined state: sums that no order, duplicate or repetition can spoil.
//!
//! Besides checks of single promises there is one long run. It shuffles and repeats the fetches of made-up
//! pages; they must end in the same digest and in the plain sum of the newest versions. Start at [`all`].

mod batches;
mod helpers;
mod log;
mod sums;
mod values;
mod versions;

pub use self::batches::*;
pub use self::log::*;
pub use self::sums::*;
pub use self::values::*;
pub use self::versions::*;

use super::checks;
use crate::store::SiteState;

checks! { SiteState:
    the_store_is_ready,
    an_unknown_site_is_empty,
    a_first_version_counts,
    versions_come_in_the_asked_order,
    a_newer_version_replaces,
    a_late_version_changes_nothing,
    a_late_version_is_stale_even_if_unexpected,
    a_repeated_call_is_stale,
    an_unexpected_version_is_a_conflict_and_names_the_stored_one,
    a_change_that_expects_more_than_is_stored_is_a_conflict,
    a_removed_page_counts_nothing_and_stays_removed,
    a_removed_page_can_come_back,
    a_removal_takes_the_place_of_its_own_fetch,
    a_fetch_is_counted_again_as_other_algorithms_see_it,
    pages_are_found_by_the_day_of_their_fetch,
    changes_are_judged_one_by_one_in_order,
    a_batch_is_seen_whole_or_not_at_all,
    of_concurrent_changes_one_counts,
    cells_that_come_to_zero_are_gone,
    sums_wrap,
    keys_of_any_text_are_kept_apart,
    tables_are_kept_apart,
    a_page_of_many_cells_is_counted,
    sites_are_kept_apart,
    a_sites_counter_grows_with_its_cells,
    a_forgotten_site_starts_anew,
    any_order_and_duplication_ends_in_the_plain_sum,
    what_was_counted_is_logged,
    what_does_not_count_is_not_logged,
    watched_cells_tell_when_they_come_and_go,
    a_forgotten_site_is_logged,
    a_log_is_read_in_parts,
    a_long_log_drops_its_oldest_entries,
    a_history_has_the_cells_of_its_homes,
    a_history_is_right_at_its_position,
    a_value_is_put_if_it_is_what_was_expected,
    of_concurrent_writers_of_a_value_one_wins,
    crawlers_without_a_network_are_counted,
    values_of_any_bytes_come_back,
}
