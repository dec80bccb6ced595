//! Extracts pages with dom_smoothie: a file a line on stdin, a JSON object a line on stdout.
//!
//! Pages are given as UTF-8 text, so its time holds no decoding. The least of three runs counts.

use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use dom_smoothie::{Config, Readability, TextMode};

const RUNS: u32 = 3;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for file in std::io::stdin().lock().lines() {
        let bytes = std::fs::read(file?)?;
        let html = String::from_utf8_lossy(&bytes);
        let (mut least, mut said) = (f64::INFINITY, serde_json::Value::Null);
        for _ in 0..RUNS {
            let started = Instant::now();
            let config = Config { text_mode: TextMode::Formatted, ..Config::default() };
            let found = Readability::new(html.as_ref(), None, Some(config)).and_then(|mut page| page.parse());
            least = least.min(started.elapsed().as_secs_f64() * 1e3);
            if let Ok(article) = found {
                said = serde_json::json!({
                    "title": article.title,
                    "authors": article.byline.into_iter().collect::<Vec<_>>(),
                    "published": article.published_time,
                    "body": article.text_content.to_string(),
                });
            }
        }
        writeln!(out, "{}", serde_json::json!({ "ms": least, "article": said }))?;
    }
    Ok(())
}
