//! Draws figures with every mark: `cargo run --release -p steinbound-plot --example gallery -- DIRECTORY`.

use std::path::{Path, PathBuf};

use steinbound_plot::{
    Anchor, Axis, Color, ColorScale, Entry, Figure, Grid, Heatmap, Marker, Panel, Style, png,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    std::fs::create_dir_all(&directory)?;
    for (name, figure) in [("marks", marks()), ("series", series()), ("crowded", crowded())] {
        write(&directory, name, &figure.id(name))?;
    }
    Ok(())
}

fn write(directory: &Path, name: &str, figure: &Figure) -> Result<(), Box<dyn std::error::Error>> {
    let svg = figure.to_svg();
    std::fs::write(directory.join(format!("{name}.png")), png(&svg, 2.0)?)?;
    std::fs::write(directory.join(format!("{name}.svg")), svg)?;
    Ok(())
}

fn even(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|index| low + (high - low) * index as f64 / (count - 1) as f64).collect()
}

/// Points of a Gaussian with an even cover: the golden angle by a quantile of the radius.
fn cloud(count: usize) -> Vec<(f64, f64)> {
    let place = |index: usize| {
        let radius = (-2.0 * ((index as f64 + 0.5) / count as f64).ln()).sqrt();
        let (sine, cosine) = (2.399_963 * index as f64).sin_cos();
        (0.4 + radius * cosine, 0.3 + radius * sine)
    };
    (0..count).map(place).collect()
}

fn circle(radius: f64) -> Vec<(f64, f64)> {
    even(0.0, std::f64::consts::TAU, 91)
        .into_iter()
        .map(|angle| (radius * angle.cos(), radius * angle.sin()))
        .collect()
}

fn density(x: f64, y: f64) -> f64 {
    (-0.5 * ((x - 0.4).powi(2) + (y - 0.3).powi(2))).exp()
        + 0.7 * (-2.0 * ((x + 1.1).powi(2) + (y + 1.0).powi(2))).exp()
}

/// One of every mark.
fn marks() -> Figure {
    let (data, cut) =
        (Style::new(Color::BLUE).size(1.8).opacity(0.6), Style::new(Color::GREY).size(1.8).opacity(0.4));
    let edge = Style::new(Color::BLACK).width(1.0);
    let truth = Style::new(Color::VERMILLION).marker(Marker::Cross).size(5.0).width(2.0);
    let (seen, unseen): (Vec<_>, Vec<_>) = cloud(400).into_iter().partition(|(x, y)| x.hypot(*y) < 1.5);
    let scenario = Panel::new(Axis::linear("x"), Axis::linear("y"))
        .title("(a) scenario, frame only")
        .equal_aspect()
        .without_axes()
        .rings(vec![circle(1.5), circle(0.35)], Some(Color::rgb(0xF2, 0xF2, 0xF2)), edge.clone())
        .points(unseen, cut.clone())
        .points(seen.clone(), data.clone())
        .points(vec![(0.4, 0.3)], truth.clone());

    let axis = even(-2.5, 2.5, 81);
    let levels = even(0.1, 0.9, 9);
    let inside =
        Grid::of(axis.clone(), axis.clone(), |x, y| if x.hypot(y) < 2.2 { density(x, y) } else { f64::NAN });
    let shades = ColorScale::sequential(0.0, 1.0);
    let bands = Panel::new(Axis::linear("longitude"), Axis::linear("latitude"))
        .title("(b) bands with a hole")
        .equal_aspect()
        .filled_contours(inside, even(0.0, 0.9, 10), shades.clone())
        .color_bar(shades.clone(), "density");
    let lines = Panel::new(Axis::linear("θ₁"), Axis::linear("θ₂"))
        .title("(c) isolines")
        .equal_aspect()
        .contours(Grid::of(axis.clone(), axis, density), levels, shades)
        .text(0.4, 0.3, "peak", Anchor::Middle);

    let values: Vec<f64> =
        (0..15).map(|index| if index == 7 { f64::NAN } else { (f64::from(index) * 0.9).sin() }).collect();
    let heat = Panel::new(
        Axis::categories("kernel", ["RBF", "IMQ", "Matérn", "tri", "cubic"]),
        Axis::categories("d", ["2", "3", "5"]),
    )
    .title("(d) heat map with numbers")
    .heatmap(Heatmap {
        x_edges: Heatmap::category_edges(5),
        y_edges: Heatmap::category_edges(3),
        values,
        scale: ColorScale::diverging(1.0),
        label: "log₁₀ ratio of errors".to_string(),
        digits: Some(2),
    });
    let rough: Vec<f64> = (0..400)
        .map(|index| 10_f64.powf(-4.0 * (f64::from(index % 20) / 20.0) * (f64::from(index / 20) / 20.0)))
        .collect();
    let fine = Panel::new(Axis::log("bandwidth"), Axis::log("ridge"))
        .title("(e) log axes and colours")
        .heatmap(Heatmap {
            x_edges: (0..=20).map(|index| 10_f64.powf(f64::from(index) / 10.0 - 1.0)).collect(),
            y_edges: (0..=20).map(|index| 10_f64.powf(f64::from(index) / 4.0 - 5.0)).collect(),
            values: rough,
            scale: ColorScale::sequential_log(1e-4, 1.0),
            label: "squared error".to_string(),
            digits: None,
        });

    let edges = even(-1.5, 1.5, 16);
    let counts: Vec<f64> = edges
        .windows(2)
        .map(|pair| seen.iter().filter(|(x, _)| (pair[0]..pair[1]).contains(x)).count() as f64)
        .collect();
    let histogram = Panel::new(Axis::linear("first coordinate"), Axis::linear("points"))
        .title("(f) histogram")
        .histogram(edges, counts, Style::new(Color::BLUE).width(1.0))
        .vertical(0.4, Style::new(Color::VERMILLION).dashed())
        .text(0.45, 35.0, "truth", Anchor::Start);
    let qq = Panel::new(Axis::linear("expected").percent(), Axis::linear("observed").percent())
        .title("(g) p-values")
        .line(vec![(0.0, 0.0), (1.0, 1.0)], Style::new(Color::GREY).dotted())
        .line(even(0.0, 1.0, 40).into_iter().map(|p| (p, p.powf(1.2))).collect(), Style::new(Color::GREEN))
        .horizontal(0.05, Style::new(Color::VERMILLION).dashed().width(1.0));

    Figure::new(720.0)
        .row(250.0, vec![scenario, bands, lines])
        .row_weighted(210.0, vec![(1.2, heat), (1.0, fine)])
        .row(200.0, vec![histogram, qq])
        .legend(vec![
            Entry::marker("seen", data),
            Entry::marker("cut off", cut),
            Entry::line("boundary", edge),
            Entry::marker("truth", truth),
            Entry::fill("region", Color::rgb(0xF2, 0xF2, 0xF2)),
        ])
        .describe("Every mark that steinbound-plot draws. Scenario, bands, isolines, heat maps, a histogram and p-values.")
}

/// Errors of many methods in three panels, as a paper would print them.
fn series() -> Figure {
    let names = [
        "TKSD",
        "bd-KSD (exact)",
        "bd-KSD (approximate)",
        "TruncSM (exact)",
        "TruncSM (approximate)",
        "truncated MLE",
        "MLE",
    ];
    let shapes = [
        Marker::Circle,
        Marker::Square,
        Marker::Triangle,
        Marker::Diamond,
        Marker::Down,
        Marker::Plus,
        Marker::Cross,
    ];
    let style = |index: usize| {
        let style = Style::new(Color::PALETTE[index]).marker(shapes[index]);
        match index {
            2 | 4 => style.hollow().dashed(),
            6 => style.dotted(),
            _ => style,
        }
    };
    let sizes = [100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0];
    let panel = |title: &str, y: Axis, factor: f64| {
        let mut panel = Panel::new(Axis::log("sample size n"), y).title(title);
        for index in 0..names.len() {
            let slope = if index == 6 { 0.05 } else { 0.9 };
            let error =
                |size: f64| factor * (1.0 + 0.35 * index as f64) * (size / 100.0_f64).powf(-slope) * 0.3;
            panel = panel
                .error_bars(sizes.iter().map(|&n| (n, error(n), 0.25 * error(n))).collect(), style(index));
            panel = panel.line(sizes.iter().map(|&n| (n, error(n))).collect(), style(index));
        }
        panel
    };
    let dimension = Panel::new(
        Axis::categories("dimension d", ["2", "3", "5", "10"]),
        Axis::linear("seconds per fit").from_zero(),
    )
    .title("(c) time")
    .line((0..4).map(|d| (f64::from(d), 0.02 * f64::from(d * d))).collect(), style(0))
    .line((0..4).map(|d| (f64::from(d), 0.03 * f64::from(d))).collect(), style(1));
    Figure::new(720.0)
        .row(
            270.0,
            vec![
                panel("(a) ℓ₂ ball", Axis::log("squared error of the mean"), 1.0),
                panel("(b) ℓ₁ ball", Axis::log(""), 0.001),
                dimension,
            ],
        )
        .legend((0..names.len()).map(|index| Entry::line(names[index], style(index))).collect())
        .describe("Errors of seven methods")
}

/// Little room and long words: a map in degrees beside small panels.
fn crowded() -> Figure {
    let border = vec![
        (-124.0, 48.5),
        (-95.0, 49.0),
        (-83.0, 42.0),
        (-67.0, 47.0),
        (-81.0, 25.0),
        (-97.0, 26.0),
        (-117.0, 32.5),
    ];
    let map = Panel::new(Axis::linear("longitude"), Axis::linear("latitude"))
        .title("(a) data seen only inside of a border, with a title too long for one line")
        .aspect(1.28)
        .rings(vec![border], Some(Color::LIGHT_GREY), Style::new(Color::BLACK).width(0.8))
        .points(
            cloud(150).into_iter().map(|(x, y)| (-110.0 + 6.0 * x, 37.0 + 3.0 * y)).collect(),
            Style::new(Color::BLUE).size(1.5),
        )
        .text(-67.0, 47.0, "Maine, moved inside", Anchor::Start);
    let small = |title: &str, low: f64, high: f64| {
        Panel::new(
            Axis::linear("number of boundary points m"),
            Axis::linear("squared error of the estimated mean, in units of its variance"),
        )
        .title(title)
        .line(
            even(low, high, 9).into_iter().map(|x| (x, x * x)).collect(),
            Style::new(Color::GREEN).marker(Marker::Diamond).size(2.5),
        )
    };
    let names = [
        "tksd",
        "bd-KSD (exact)",
        "bd-KSD (approximate)",
        "TruncSM (exact)",
        "TruncSM (approximate)",
        "truncated MLE",
    ];
    let many =
        Panel::new(Axis::categories("method", names), Axis::linear("rank")).title("(e) long names").points(
            (0..6).map(|index| (f64::from(index), f64::from(index * 5 % 6))).collect(),
            Style::new(Color::PURPLE).marker(Marker::Square),
        );
    let equal = Panel::new(Axis::log("all values equal"), Axis::linear(""))
        .title("(f) one value")
        .points(vec![(3.0, 7.0)], Style::new(Color::BLACK));
    let empty = Panel::new(Axis::log("nothing"), Axis::linear("here")).title("(g) no data");
    Figure::new(720.0)
        .row_weighted(230.0, vec![(2.0, map), (1.0, small("(b) thousands", 0.0, 20_000.0)), (1.0, small("(c) tiny", 0.0, 1e-4))])
        .row(230.0, vec![small("(d) far from zero", 1e4, 1e4 + 1.0), many, equal, empty])
        .legend(vec![Entry::line("a single entry with a name that is far too long for one line of a legend and so has to be cut somewhere, here or there", Style::new(Color::GREEN))])
}
