//! What teaches a site: `template`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct TemplateArgs {
    #[command(subcommand)]
    pub(crate) command: TemplateCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TemplateCommand {
    /// Corrects one page of a site; all the site's articles are read again with what that teaches.
    #[command(
        after_help = "Examples:\n  newslode template teach example.com --page page.html --body right.txt run\n  newslode template teach example.com --page https://www.example.com/story --drop 'Sign up for our newsletter' run"
    )]
    Teach(TeachArgs),
    /// Lists the sites that something is known of.
    List(TemplateDir),
    /// Shows what is known of a site: its corrected pages and its templates.
    Show(TemplateSite),
    /// Shows a site's templates: which passages vary and what each was taken for.
    Explain {
        #[command(flatten)]
        site: TemplateSite,
        /// How to show it.
        #[arg(long, value_enum, default_value = "text")]
        format: ExplainFormat,
    },
    /// Forgets what a corrected page taught, or all that is known of a site.
    Forget {
        #[command(flatten)]
        site: TemplateSite,
        /// The corrected page; left out: all of the site.
        #[arg(long, value_name = "URL")]
        page: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    Text,
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct TemplateDir {
    /// Folder of the run; left out: the services' store.
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TemplateSite {
    /// The site: its host or registrable domain.
    pub(crate) site: String,
    /// Folder of the run; left out: the services' store.
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TeachArgs {
    /// The site: its host or registrable domain.
    pub(crate) site: String,
    /// Folder of the run; left out: the services' store and archive.
    pub(crate) dir: Option<PathBuf>,
    /// The page: a file, or the URL of one that was mined (fetched if it was not).
    #[arg(long, value_name = "PAGE")]
    pub(crate) page: String,
    /// The URL of a page that is a file.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A file with the right text of the article.
    #[arg(long, value_name = "FILE")]
    pub(crate) body: Option<PathBuf>,
    /// Text of the page that is no part of any article of the site.
    #[arg(long, value_name = "TEXT")]
    pub(crate) drop: Vec<String>,
    /// The right title.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The right author; several times for several.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Vec<String>,
    /// The right date, as YYYY-MM-DD.
    #[arg(long, value_name = "DATE")]
    pub(crate) published: Option<String>,
}
