//! Arguments of `template`, which teaches a site.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::installation::RunArgs;

#[derive(Debug, Args)]
pub(crate) struct TemplateArgs {
    #[command(subcommand)]
    pub(crate) command: TemplateCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TemplateCommand {
    /// Correct one page of a site and read all its articles again with the lesson.
    #[command(
        after_help = "Examples:\n  newslode template teach example.com --page page.html --body right.txt --dir run\n  newslode template teach example.com --page https://www.example.com/story --drop 'Sign up for our newsletter' --dir run"
    )]
    Teach(TeachArgs),
    /// List the sites that have corrections or templates.
    List {
        #[command(flatten)]
        run: RunArgs,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show the corrected pages and the templates of a site.
    Show {
        #[command(flatten)]
        site: TemplateSite,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show which passages vary in a site's templates and what each is taken for.
    Explain {
        #[command(flatten)]
        site: TemplateSite,
        /// Output format.
        #[arg(long, value_enum, default_value = "text")]
        format: ExplainFormat,
    },
    /// Forget the lesson of a corrected page, or everything known about a site.
    Forget {
        #[command(flatten)]
        site: TemplateSite,
        /// URL of the corrected page [default: everything known about the site].
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
pub(crate) struct TemplateSite {
    /// Host or registrable domain of the site.
    pub(crate) site: String,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TeachArgs {
    /// Host or registrable domain of the site.
    pub(crate) site: String,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// File or URL of the page; a URL that was not mined is fetched.
    #[arg(long, value_name = "PAGE")]
    pub(crate) page: String,
    /// URL of the page if PAGE is a file.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// File with the correct text of the article.
    #[arg(long, value_name = "FILE")]
    pub(crate) body: Option<PathBuf>,
    /// Text on the page that belongs to no article of the site; may be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) drop: Vec<String>,
    /// Correct title.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Correct author; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Vec<String>,
    /// Correct date, as YYYY-MM-DD.
    #[arg(long, value_name = "DATE")]
    pub(crate) published: Option<String>,
}
