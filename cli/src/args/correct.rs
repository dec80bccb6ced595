//! Arguments of `correct`: what editors correct in the taxonomy.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::installation::DirArgs;

#[derive(Debug, Args)]
pub(crate) struct CorrectArgs {
    #[command(subcommand)]
    pub(crate) command: CorrectCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CorrectCommand {
    /// Leave out a concept and move its narrower concepts to its broader ones.
    Hide {
        /// Key or label of the concept.
        concept: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Give a concept another label.
    Rename {
        /// Key or label of the concept.
        concept: String,
        /// Its new label.
        label: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Make a concept part of another one of its language.
    Merge {
        /// Key or label of the concept that goes.
        concept: String,
        /// Key or label of the concept that stays.
        into: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Make written forms of a concept a concept of their own.
    Split {
        /// Key or label of the concept.
        concept: String,
        /// Its forms that become another concept.
        #[arg(value_name = "FORM", required = true)]
        forms: Vec<String>,
        /// Label of the new concept [default: its first form].
        #[arg(long)]
        label: Option<String>,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Set a parent of a concept, which is also the one that is displayed.
    Under {
        /// Key or label of the concept.
        concept: String,
        /// Key or label of the broader concept.
        parent: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Forbid a parent of a concept.
    NotUnder {
        /// Key or label of the concept.
        concept: String,
        /// Key or label of the broader concept.
        parent: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Map a section or tag of a site to a concept.
    Map {
        /// Name of the site.
        site: String,
        /// Label of the section or tag, as in `places` of an article.
        place: String,
        /// Key or label of the concept.
        concept: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Undo corrections, by number.
    Undo {
        /// Numbers, as the list shows them.
        #[arg(required = true)]
        numbers: Vec<u64>,
        /// Only show which articles would move.
        #[arg(long)]
        preview: bool,
        #[command(flatten)]
        run: DirArgs,
    },
    /// List the corrections, and why some do not apply now.
    List {
        #[command(flatten)]
        run: DirArgs,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the corrections as a file for `import`.
    Export {
        #[command(flatten)]
        run: DirArgs,
        /// File to write instead of standard output.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Add the corrections of a file.
    Import {
        /// The file.
        file: PathBuf,
        /// Forget the corrections that the file does not have.
        #[arg(long)]
        replace: bool,
        /// Only show which articles would move.
        #[arg(long)]
        preview: bool,
        #[command(flatten)]
        run: DirArgs,
    },
}

/// How a correction is made.
#[derive(Debug, Args)]
pub(crate) struct ChangeArgs {
    /// Why.
    #[arg(long)]
    pub(crate) note: Option<String>,
    /// Who corrects.
    #[arg(long)]
    pub(crate) author: Option<String>,
    /// Only show which articles would move.
    #[arg(long)]
    pub(crate) preview: bool,
    #[command(flatten)]
    pub(crate) run: DirArgs,
}
