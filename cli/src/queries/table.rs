//! Articles as a table: a row for each, its fields as cells, for spreadsheets and scripts that want no JSON.
//!
//! What has several values, such as authors, concepts, the labels of places, codes and keywords, is joined by `; `. Evidence and histories are in JSON Lines only.

use newslode_common::time;

use crate::csv::{self, Cells};
use crate::queries::articles::FiledArticle;

/// The names of the columns.
pub(crate) const HEAD: &str = "url,site,title,authors,published,modified,place,section,concepts,places,codes,language,first_seen,image,description,keywords,publisher,licence,access,completeness,text\r\n";

/// An article's row.
pub(crate) fn row(filed_article: &FiledArticle<'_>, cells: Cells) -> String {
    let article = &filed_article.article;
    let one = |field: &Option<String>| field.clone().unwrap_or_default();
    let first_seen = filed_article.history.as_ref().map(|history| time::iso(history.first_seen));
    let row = [
        article.url.clone(),
        article.site.clone(),
        one(&article.title),
        article.authors.join("; "),
        one(&article.published),
        one(&article.modified),
        one(&article.place),
        one(&article.section),
        article.concepts.join("; "),
        filed_article.place_labels().join("; "),
        filed_article.codes.join("; "),
        one(&article.language),
        first_seen.unwrap_or_default(),
        one(&article.image),
        one(&article.description),
        article.keywords.join("; "),
        one(&article.publisher),
        one(&article.licence),
        article.access.map(|access| access.name().to_owned()).unwrap_or_default(),
        article.completeness.name().to_owned(),
        article.text(),
    ];
    csv::row(row, cells)
}
