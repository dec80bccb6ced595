//! Parts of the policy that can be taken away.

/// What is taken away from the policy, to see what it is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ablation {
    /// Nothing.
    #[default]
    None,
    /// All new links of a listing count for it, not the confirmed articles that it showed first.
    AllNewLinks,
    /// One queue for all.
    OneQueue,
    /// A failing site does not rest: a page that fails four times leaves, and a refused one at once.
    NoRests,
    /// What a listing's first visit shows is fetched like what is new.
    BacklogFirst,
}

impl Ablation {
    /// All of them.
    pub(crate) const ALL: [Ablation; 5] = [
        Ablation::None,
        Ablation::AllNewLinks,
        Ablation::OneQueue,
        Ablation::NoRests,
        Ablation::BacklogFirst,
    ];

    /// Its name in tables and arguments.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Ablation::None => "policy",
            Ablation::AllNewLinks => "all-new-links",
            Ablation::OneQueue => "one-queue",
            Ablation::NoRests => "no-rests",
            Ablation::BacklogFirst => "backlog-first",
        }
    }
}
