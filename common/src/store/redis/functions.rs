//! The functions that the server must hold, in exactly this build's form.

/// The functions' source: the server loads a library as one text.
pub(super) const SOURCE: &str = concat!(
    include_str!("numbers.lua"),
    include_str!("groups.lua"),
    include_str!("log.lua"),
    include_str!("state.lua"),
    include_str!("waiting.lua"),
    include_str!("turns.lua"),
    include_str!("remembered.lua"),
    include_str!("frontier.lua")
);

/// The name of the library in [`SOURCE`]. Its number grows when a released body changes.
pub(super) const NAME: &str = "newslode_2";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_names_its_library_and_numbers_its_functions() {
        assert!(SOURCE.starts_with(&format!("#!lua name={NAME}\n")));
        let number = NAME.trim_start_matches("newslode_");
        let names: Vec<&str> = SOURCE.split('\'').filter(|part| part.starts_with("nl")).collect();
        assert_eq!(names.len(), 25);
        assert!(names.iter().all(|name| name.starts_with(&format!("nl{number}_"))), "{names:?}");
    }
}
