//! The value of a field and where it was found.

/// A value and where it was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding<T> {
    pub(super) value: T,
    pub(super) witness: &'static str,
    /// 0 to 1.
    pub(super) confidence: f32,
}

/// Names of people or desks, and where they were found.
pub(super) type Names = Finding<Vec<String>>;
