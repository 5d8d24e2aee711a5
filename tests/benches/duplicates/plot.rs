//! How many pages have how many near-duplicates, on log-log axes.
//!
//! The colors are of medium brightness and the background is transparent, so that the plot fits
//! light and dark pages. Rules also differ in the shape of their marks.

use std::collections::BTreeMap;
use std::path::Path;

use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::numbers::grouped;
use pagekin_tests::near::spreading::Line;
use plotters::coord::combinators::IntoLogRange;
use plotters::element::{Circle, Cross, DynElement, IntoDynElement, TriangleMarker};
use plotters::prelude::*;

const SIZE: (u32, u32) = (800, 480);
/// Colors of text and axes, and of the grid.
const INK: RGBColor = RGBColor(125, 133, 144);
const FONT: &str = "sans-serif";
const MARK: i32 = 3;

/// The style of a rule's marks.
struct Look {
    name: &'static str,
    color: RGBColor,
}

/// The rules to draw.
const LOOKS: [Look; 3] = [
    Look { name: "exact", color: RGBColor(22, 163, 74) },
    Look { name: "B", color: RGBColor(59, 130, 246) },
    Look { name: "C", color: RGBColor(217, 119, 6) },
];

/// Draws the frequencies of rules, each with its fitted line, into an SVG file.
pub(crate) fn draw(
    file: &Path,
    rules: &[(&'static str, BTreeMap<u64, u64>, Option<Line>)],
) -> Result<(), Failure> {
    let drawn = LOOKS.iter().filter_map(|look| {
        let (_, frequencies, line) = rules.iter().find(|(name, _, _)| *name == look.name)?;
        Some((look, frequencies, line))
    });
    let drawn: Vec<_> = drawn.collect();
    let most = |of: fn((&u64, &u64)) -> u64| {
        let all = drawn.iter().flat_map(|(_, frequencies, _)| frequencies.iter());
        all.map(of).max().unwrap_or(1) as f64
    };
    let (most_near, most_pages) = (most(|(n, _)| *n) * 1.5, most(|(_, pages)| *pages) * 2.0);

    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    let text = (FONT, 15).into_font().color(&INK);
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((0.8..most_near).log_scale(), (0.7..most_pages).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("N(u): near-duplicates of a page")
        .y_desc("number of pages")
        .x_label_formatter(&|n| grouped(n.round() as u64))
        .y_label_formatter(&|n| grouped(n.round() as u64))
        .label_style(text.clone())
        .axis_desc_style(text.clone())
        .axis_style(INK)
        .bold_line_style(INK.mix(0.3))
        .light_line_style(INK.mix(0.1))
        .max_light_lines(0)
        .draw()?;
    for (look, frequencies, line) in drawn {
        let points = frequencies.iter().map(|(&n, &pages)| (n as f64, pages as f64));
        let slope = line.map_or(String::new(), |line| format!(", slope {:.2}", line.slope));
        chart
            .draw_series(points.map(|at| mark(look, at)))?
            .label(format!("{}{slope}", look.name))
            .legend(move |at| mark(look, at));
        if let Some(line) = line {
            // As far as it expects a page.
            let end = libm::pow(10.0, -line.at_one / line.slope).clamp(1.0, most_near);
            let points = [1.0, end].map(|n| (n, libm::pow(10.0, line.at(n))));
            chart.draw_series(LineSeries::new(points, look.color.stroke_width(2)))?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(text)
        .border_style(INK.mix(0.3))
        .margin(10)
        .draw()?;
    area.present()?;
    Ok(())
}

/// The mark of a rule at a point of a chart, or of its legend.
fn mark<DB: DrawingBackend, At: Clone + 'static>(
    look: &Look,
    at: At,
) -> DynElement<'static, DB, At> {
    let style = look.color;
    match look.name {
        "exact" => Circle::new(at, MARK, style.filled()).into_dyn(),
        "B" => TriangleMarker::new(at, MARK + 1, style.filled()).into_dyn(),
        _ => Cross::new(at, MARK, style.stroke_width(1)).into_dyn(),
    }
}
