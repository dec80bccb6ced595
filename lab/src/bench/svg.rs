//! Draws growth curves: panels side by side, with logarithmic axes. The partitioner's curves are here.

use super::growth::Growth;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 50.0;
const GAP: f64 = 100.0;
const LEGEND: f64 = 110.0;

/// Points of one colour.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) color: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

/// Curves on common axes.
pub(super) struct Panel {
    pub(super) title: &'static str,
    /// Label of the horizontal axis.
    pub(super) below: &'static str,
    pub(super) curves: Vec<Curve>,
}

/// Draws the partitioner's growth.
pub(crate) fn svg(growth: &[Growth]) -> String {
    let curve = |name: &str, color, value: &dyn Fn(&Growth) -> Option<f64>| Curve {
        name: name.to_owned(),
        color,
        points: growth.iter().filter_map(|row| Some((row.leaves as f64, value(row)?))).collect(),
    };
    let mib =
        |bytes: Option<u64>| bytes.filter(|&bytes| bytes > 0).map(|bytes| bytes as f64 / (1 << 20) as f64);
    let times = vec![
        curve("parse alone", "#888888", &|row| Some(row.parse_ms)),
        curve("default, bytes to hierarchy", "#0b6e4f", &|row| Some(row.default_ms)),
        curve("paper, scope page (coarser past its limit)", "#b8470b", &|row| Some(row.paper_page_ms)),
        curve("exact dynamic program alone", "#2b4c9b", &|row| row.exact_ms),
    ];
    let memory = vec![
        curve("the HTML itself", "#888888", &|row| mib(Some(row.html_bytes as u64))),
        curve("default, peak", "#0b6e4f", &|row| mib(row.default_peak_bytes)),
        curve("paper, scope page, peak", "#b8470b", &|row| mib(row.paper_page_peak_bytes)),
        curve("tables of the exact program (4 bytes × leaves²)", "#2b4c9b", &|row| {
            row.exact_ms.and(mib(Some(row.table_bytes as u64)))
        }),
    ];
    drawn(&[
        Panel { title: "time of a page, ms", below: "leaves", curves: times },
        Panel { title: "memory of a page, MiB", below: "leaves", curves: memory },
    ])
}

/// Draws panels from left to right.
pub(super) fn drawn(panels: &[Panel]) -> String {
    let count = panels.len().max(1) as f64;
    let width = LEFT + count * WIDTH + (count - 1.0) * GAP + 30.0;
    let height = TOP + HEIGHT + 45.0 + LEGEND;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (at, panel) in panels.iter().enumerate() {
        draw(&mut out, LEFT + at as f64 * (WIDTH + GAP), panel);
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, left: f64, panel: &Panel) {
    let Panel { title, below, curves } = panel;
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (min_x, max_x) = decades(points().map(|point| point.0));
    let (min_y, max_y) = decades(points().map(|point| point.1));
    let x = |value: f64| left + (value.log10() - min_x) / (max_x - min_x) * WIDTH;
    let y = |value: f64| TOP + HEIGHT - (value.log10() - min_y) / (max_y - min_y) * HEIGHT;
    text(out, left, TOP - 18.0, "start", &format!("{title} (both axes logarithmic)"), "#222222");
    for exponent in min_x as i32..=max_x as i32 {
        let value = 10f64.powi(exponent);
        line(out, (x(value), TOP), (x(value), TOP + HEIGHT));
        text(out, x(value), TOP + HEIGHT + 16.0, "middle", &number(value), "#444444");
    }
    for exponent in min_y as i32..=max_y as i32 {
        let value = 10f64.powi(exponent);
        line(out, (left, y(value)), (left + WIDTH, y(value)));
        text(out, left - 6.0, y(value) + 4.0, "end", &number(value), "#444444");
    }
    text(out, left + WIDTH / 2.0, TOP + HEIGHT + 32.0, "middle", below, "#444444");
    for (at, curve) in curves.iter().enumerate() {
        let color = curve.color;
        let path: Vec<String> =
            curve.points.iter().map(|&(px, py)| format!("{:.1},{:.1}", x(px), y(py))).collect();
        out.push_str(&format!(
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\n",
            path.join(" ")
        ));
        for point in &path {
            let (px, py) = point.split_once(',').unwrap_or_default();
            out.push_str(&format!("<circle cx=\"{px}\" cy=\"{py}\" r=\"3\" fill=\"{color}\"/>\n"));
        }
        let legend = TOP + HEIGHT + 58.0 + 20.0 * at as f64;
        out.push_str(&format!(
            "<rect x=\"{left}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{color}\"/>\n",
            legend - 6.0
        ));
        text(out, left + 20.0, legend, "start", &curve.name, "#222222");
    }
}

/// Range of whole powers of ten around all values; at least one decade.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) =
        values.fold((f64::INFINITY, 0.0f64), |(least, most), value| (least.min(value), most.max(value)));
    if !least.is_finite() || most <= 0.0 {
        return (0.0, 1.0);
    }
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    (low, high.max(low + 1.0))
}

fn number(value: f64) -> String {
    if value >= 1.0 { format!("{value:.0}") } else { format!("{value}") }
}

fn line(out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    out.push_str(&format!(
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#dddddd\"/>\n"
    ));
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, text: &str, color: &str) {
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>\n"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(leaves: usize, exact_ms: Option<f64>) -> Growth {
        Growth {
            leaves,
            html_bytes: leaves * 80,
            parse_ms: leaves as f64 / 100.0,
            default_ms: leaves as f64 / 60.0,
            paper_page_ms: leaves as f64 / 10.0,
            paper_page_coarse: Vec::new(),
            exact_ms,
            default_peak_bytes: None,
            paper_page_peak_bytes: Some(leaves as u64 * 900),
            table_bytes: 4 * leaves * leaves,
        }
    }

    #[test]
    fn every_curve_has_its_points_inside_the_picture() {
        let drawn = svg(&[row(100, Some(0.5)), row(1_000, Some(60.0)), row(20_000, None)]);
        assert_eq!(drawn.matches("<polyline").count(), 8);
        // Time: 3 + 3 + 3 + 2, memory: 3 + 0 + 3 + 2.
        assert_eq!(drawn.matches("<circle").count(), 19);
        let places =
            drawn.split("cx=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        assert!(places.into_iter().all(|x| (0.0..=1_120.0).contains(&x)));
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }

    #[test]
    fn nothing_measured_is_an_empty_picture() {
        assert_eq!(svg(&[]).matches("<circle").count(), 0);
    }
}
