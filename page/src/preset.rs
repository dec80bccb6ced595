//! The names of parameter sets, shared by all algorithms that have parameters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Named parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Preset {
    /// What users get.
    #[default]
    Default,
    /// As printed in the papers.
    Paper,
}

/// An unknown preset name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a preset; the presets are {known}", known = Preset::names())]
pub struct UnknownPreset(String);

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 2] = [Preset::Default, Preset::Paper];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Preset::Default => "default",
            Preset::Paper => "paper",
        }
    }

    fn names() -> String {
        Preset::ALL.map(|preset| format!("`{preset}`")).join(" and ")
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Preset, UnknownPreset> {
        let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| UnknownPreset(name.into()))
    }
}

impl TryFrom<String> for Preset {
    type Error = UnknownPreset;

    fn try_from(name: String) -> Result<Preset, UnknownPreset> {
        name.parse()
    }
}

impl From<Preset> for String {
    fn from(preset: Preset) -> String {
        preset.name().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_found_by_their_own_names() {
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
        }
        let unknown = "best".parse::<Preset>().unwrap_err().to_string();
        assert_eq!(unknown, "`best` is not a preset; the presets are `default` and `paper`");
    }
}
