//! Plots the load of the busiest host / the mean load, by number of hosts.
//!
//! The colors are of medium brightness and the background is transparent, so that the plot fits
//! light and dark pages.

use std::path::Path;

use pagekin_tests::measuring::Failure;
use plotters::coord::combinators::IntoLogRange;
use plotters::prelude::*;

use super::{HOSTS, WayReport};

const SIZE: (u32, u32) = (800, 480);
/// Colors of text and axes, and of the grid.
const INK: RGBColor = RGBColor(125, 133, 144);
const FONT: &str = "sans-serif";
const COLORS: [RGBColor; 8] = [
    RGBColor(125, 133, 144),
    RGBColor(220, 38, 38),
    RGBColor(217, 119, 6),
    RGBColor(161, 98, 7),
    RGBColor(59, 130, 246),
    RGBColor(22, 163, 74),
    RGBColor(13, 148, 136),
    RGBColor(139, 92, 246),
];

/// Draws the ways into an SVG file.
pub(crate) fn draw(file: &Path, ways: &[WayReport]) -> Result<(), Failure> {
    let all = ways.iter().flat_map(|way| way.by_hosts.values());
    let most = all.map(|balance| balance.busiest_by_mean).fold(1.0, f64::max);
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    let text = (FONT, 15).into_font().color(&INK);
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d((3.7..70.0).log_scale().base(2.0), 1.0..most * 1.05)?;
    chart
        .configure_mesh()
        .x_desc("hosts")
        .y_desc("load of the busiest host / mean load")
        .x_labels(HOSTS.len())
        .x_label_formatter(&|hosts| format!("{hosts:.0}"))
        .y_label_formatter(&|by| format!("{by:.1}"))
        .label_style(text.clone())
        .axis_desc_style(text.clone())
        .axis_style(INK)
        .bold_line_style(INK.mix(0.3))
        .light_line_style(INK.mix(0.1))
        .max_light_lines(0)
        .draw()?;
    for (way, color) in ways.iter().zip(COLORS) {
        let points: Vec<_> = way
            .by_hosts
            .iter()
            .map(|(&hosts, balance)| (f64::from(hosts), balance.busiest_by_mean))
            .collect();
        let line = LineSeries::new(points, color.stroke_width(2)).point_size(3);
        chart
            .draw_series(line)?
            .label(way.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(text)
        .border_style(INK.mix(0.3))
        .margin(10)
        .draw()?;
    area.present()?;
    Ok(())
}
