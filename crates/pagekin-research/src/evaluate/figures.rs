//! Draws comparisons of values as bar charts, like the figures of the paper.
//!
//! Colors have a medium brightness and the background is transparent, so that charts fit light and
//! dark pages.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::evaluate::evaluation::Evaluation;
use crate::evaluate::varied::{Varied, vary};

/// Minimum width of a value, and the width of everything except the bars.
const VALUE_WIDTH: u32 = 76;
const MARGINS: u32 = 210;
const MIN_WIDTH: u32 = 640;
const HEIGHT: u32 = 420;
const LINE: u32 = 17;
/// The color of text and axes.
const INK: RGBColor = RGBColor(125, 133, 144);
const FONT: &str = "sans-serif";
/// The share of the width of a value that its bars take.
const BARS: f64 = 0.8;

/// The scores that are drawn, if available, with their colors.
const DRAWN: [(&str, RGBColor); 6] = [
    ("class", RGBColor(22, 163, 74)),
    ("sibling", RGBColor(101, 163, 13)),
    ("folder@5", RGBColor(13, 148, 136)),
    ("link@5", RGBColor(59, 130, 246)),
    ("cocited@5", RGBColor(139, 92, 246)),
    ("orthogonal", RGBColor(217, 119, 6)),
];

/// A chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The file name, such as `representation.svg`.
    pub name: String,
    /// The contents of the file.
    pub svg: String,
}

/// Draws a chart for each key with several values among an evaluation's settings.
#[must_use]
pub fn figures(evaluation: &Evaluation) -> Vec<Figure> {
    let figure = |varied: &Varied| {
        let mut svg = String::new();
        // Writing into a string cannot fail.
        draw(varied, &mut svg).ok()?;
        Some(Figure { name: format!("{}.svg", varied.key), svg })
    };
    vary(evaluation).iter().filter_map(figure).collect()
}

/// Why a chart could not be drawn.
type Failure = Box<dyn std::error::Error>;

fn draw(varied: &Varied, svg: &mut String) -> Result<(), Failure> {
    let score = |value: usize, name: &str| {
        let scores = varied.values[value].1.named();
        scores.iter().find(|(other, _)| *other == name).and_then(|&(_, score)| score)
    };
    let values = varied.values.len();
    let drawn: Vec<_> = DRAWN
        .iter()
        .filter(|(name, _)| (0..values).any(|value| score(value, name).is_some()))
        .collect();
    let all = drawn.iter().flat_map(|(name, _)| (0..values).filter_map(|value| score(value, name)));
    let lowest = all.fold(0.0, f64::min);
    let names: Vec<Vec<String>> = varied.values.iter().map(|(name, _)| lines(name)).collect();
    let most_lines = names.iter().map(Vec::len).max().unwrap_or(1) as u32;
    let width = MIN_WIDTH.max(VALUE_WIDTH * values as u32 + MARGINS);
    let area = SVGBackend::with_string(svg, (width, HEIGHT)).into_drawing_area();
    let text = (FONT, 15).into_font().color(&INK);
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_right(130)
        .x_label_area_size(30 + LINE * most_lines)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..values as f64, lowest..1.0)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .x_desc(varied.key)
        .y_label_formatter(&|score| format!("{score:.1}"))
        .label_style(text.clone())
        .axis_desc_style(text.clone())
        .axis_style(INK)
        .bold_line_style(INK.mix(0.3))
        .max_light_lines(0)
        .draw()?;
    let bar_width = BARS / drawn.len().max(1) as f64;
    for (at, (name, color)) in drawn.iter().enumerate() {
        let bar = |value: usize| {
            let left = value as f64 + (1.0 - BARS) / 2.0 + at as f64 * bar_width;
            let score = score(value, name)?;
            Some(Rectangle::new([(left, 0.0), (left + bar_width, score)], color.filled()))
        };
        chart.draw_series((0..values).filter_map(bar))?;
    }
    legend(&area, &drawn, &text, width as i32 - 120)?;
    for (value, lines) in names.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(value as f64 + 0.5, lowest));
        for (at, line) in (0..).zip(lines) {
            let style = text.pos(Pos::new(HPos::Center, VPos::Top));
            area.draw(&Text::new(line.as_str(), (x, y + 6 + LINE as i32 * at), style))?;
        }
    }
    area.present()?;
    Ok(())
}

/// Draws the legend, next to the bars, which would hide it.
fn legend(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    drawn: &[&(&str, RGBColor)],
    text: &TextStyle<'_>,
    right: i32,
) -> Result<(), Failure> {
    for (at, (name, color)) in (0..).zip(drawn) {
        let top = 20 + 22 * at;
        area.draw(&Rectangle::new([(right, top), (right + 12, top + 12)], color.filled()))?;
        let style = text.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(*name, (right + 18, top + 6), style))?;
    }
    Ok(())
}

/// Splits a value into lines: a combined representation has a line for each part.
fn lines(value: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, part) in value.split('+').enumerate() {
        let joint = if at > 0 { "+ " } else { "" };
        match part.split_once(':') {
            Some((part, window)) => lines.extend([format!("{joint}{part}"), window.to_owned()]),
            None => lines.push(format!("{joint}{part}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluation::Scores;

    #[test]
    fn charts_have_a_bar_for_each_score_and_value() {
        let scores =
            |linked| Scores { linked: Some(linked), sibling: Some(-0.25), ..Scores::default() };
        let values = [("content", 0.5), ("content+anchor:8", 0.75), ("link", 0.25)];
        let values = values.map(|(value, linked)| (value.to_owned(), scores(linked)));
        let varied = Varied { key: "representation", values: values.into(), groups: 1 };
        let mut svg = String::new();
        draw(&varied, &mut svg).unwrap();
        let of = |color: &str| svg.matches(&format!("fill=\"{color}\"")).count();
        // Three bars, and one in the legend.
        assert_eq!((of("#3B82F6"), of("#65A30D"), of("#D97706")), (4, 4, 0));
        for text in ["representation", "link@5", "sibling", "+ anchor", "\n8\n"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn values_are_split_where_they_are_joined() {
        assert_eq!(lines("content+anchor:32+link"), ["content", "+ anchor", "32", "+ link"]);
        assert_eq!(lines("0.05"), ["0.05"]);
    }
}
