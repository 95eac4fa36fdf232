//! Where data and model disagree.

use steinbound::fit::Problem;
use steinbound::{Error, Points};
use steinbound_plot::numbers::{range, steps};
use steinbound_plot::{Axis, Color, ColorScale, Entry, Figure, Heatmap, Marker, Panel, Style};

use super::map::{height, knots};
use super::{WIDTH, edge, fitted};
use crate::{Picture, Scene};

/// Cells along each axis.
const CELLS: usize = 60;

/// Cells along each axis where every cell costs many kernel values.
const FEW_CELLS: usize = 30;

/// Observations beyond which cells are costly.
const MANY: usize = 20_000;

/// Places along a line.
const PLACES: usize = 201;

/// The witness of the scene's density: a line, a heat map for each of two coordinates, or its size for each
/// of more. `None` for methods that have no witness and where data and model agree to the last digit.
///
/// The mean over the data of `psi' g + div g` is the discrepancy `D > 0`, and it is the mean of `(psi -
/// psi_data)' g`: `g` points where the log-density of the model rises faster than that of the data.
pub fn witness(scene: &Scene, problem: &Problem) -> Result<Option<Picture>, Error> {
    if !problem.method().has_kernel() || scene.theta.is_none() || scene.reported.iter().any(|v| v.is_nan()) {
        return Ok(None);
    }
    let values = |targets: &Points| match problem.witness(&scene.reported, targets) {
        Ok(found) => Ok(Some(found)),
        Err(Error::Fit(steinbound::FitError::NoWitness)) => Ok(None),
        Err(error) => Err(error),
    };
    match scene.dimension() {
        1 => {
            let (low, high) = scene.window(0);
            let places = steps(low, high, PLACES);
            let targets = Points::new(places.clone(), 1)?;
            let masked = |(x, g): (&f64, &f64)| if scene.is_inside(&[*x]) { *g } else { f64::NAN };
            Ok(values(&targets)?.map(|found| {
                let values: Vec<f64> = places.iter().zip(found.values.column(0)).map(masked).collect();
                on_line(scene, &places, &values)
            }))
        }
        2 => {
            let cells = if scene.data.len() > MANY { FEW_CELLS } else { CELLS };
            let edges = [0, 1].map(|l| {
                let (low, high) = scene.window(l);
                steps(low, high, cells + 1)
            });
            let middles =
                edges.each_ref().map(|ends| ends.windows(2).map(|e| 0.5 * (e[0] + e[1])).collect::<Vec<_>>());
            let places: Vec<[f64; 2]> =
                middles[1].iter().flat_map(|y| middles[0].iter().map(move |x| [*x, *y])).collect();
            let targets = Points::from_rows(&places)?;
            let Some(found) = values(&targets)? else { return Ok(None) };
            let shown: Vec<bool> = places.iter().map(|place| scene.is_inside(place)).collect();
            let column = |l: usize| -> Vec<f64> {
                let values = found.values.column(l).iter().zip(&shown);
                values.map(|(g, is_inside)| if *is_inside { *g } else { f64::NAN }).collect()
            };
            Ok(Some(on_plane(scene, edges, [column(0), column(1)])))
        }
        _ => {
            let rows: Vec<&[f64]> = scene.shown_rows().into_iter().map(|i| scene.data.row(i)).collect();
            let targets = Points::from_rows(&rows)?;
            let Some(found) = values(&targets)? else { return Ok(None) };
            let size = |l: usize| {
                let g = found.values.column(l);
                (g.iter().map(|v| v * v).sum::<f64>() / g.len() as f64).sqrt()
            };
            Ok(Some(by_coordinate(scene, (0..scene.dimension()).map(size).collect())))
        }
    }
}

const MEANING: &str = "Its shape shows where model and data disagree, not by how much: that is the discrepancy, and the test shows whether it is more than chance.";

fn on_line(scene: &Scene, places: &[f64], values: &[f64]) -> Picture {
    let line = places.iter().zip(values).map(|(x, g)| (*x, *g)).collect();
    let (low, high) = range(values.iter().copied());
    let floor = low - 0.06 * (high - low);
    let rug: Vec<(f64, f64)> =
        scene.shown_rows().into_iter().map(|i| (scene.data.row(i)[0], floor)).collect();
    let tick = Style::new(Color::GREY).marker(Marker::Circle).size(1.4).opacity(0.5);
    let mut panel = Panel::new(Axis::linear(scene.label(0)), Axis::linear("witness"))
        .horizontal(0.0, edge().dashed())
        .line(line, fitted())
        .points(rug, tick.clone());
    for place in scene.boundary.iter().flat_map(|points| points.rows()) {
        panel = panel.vertical(place[0], edge());
    }
    let legend =
        vec![Entry::line("witness", fitted()), Entry::marker("data", tick), Entry::line("boundary", edge())];
    let caption = format!(
        "The witness function: where it is positive, the density of the model rises faster than that of the data, and where it is negative, slower. {MEANING}"
    );
    Picture::new(Figure::new(WIDTH).row(260.0, vec![panel]).legend(legend).id("witness"), caption)
}

fn on_plane(scene: &Scene, edges: [Vec<f64>; 2], columns: [Vec<f64>; 2]) -> Picture {
    let largest = |values: &[f64]| range(values.iter().map(|v| v.abs())).1;
    let limit = largest(&columns[0]).max(largest(&columns[1]));
    let [x_edges, y_edges] = edges;
    let window = [scene.window(0), scene.window(1)];
    let panels = columns.into_iter().enumerate().map(|(l, values)| {
        let heatmap = Heatmap {
            x_edges: x_edges.clone(),
            y_edges: y_edges.clone(),
            values,
            scale: ColorScale::diverging(limit),
            label: "witness".into(),
            digits: None,
        };
        let axis = |k: usize| Axis::linear(scene.label(k)).range(window[k].0, window[k].1);
        let mut panel = Panel::new(axis(0), axis(1))
            .title(format!("({}) {}", if l == 0 { "a" } else { "b" }, scene.label(l)))
            .heatmap(heatmap);
        if let Some(ratio) = super::map::aspect(scene, window) {
            panel = panel.aspect(ratio);
        }
        if let Some((points, style)) = knots(scene) {
            panel = panel.points(points, style);
        }
        if l == 0 { panel.without_color_bar() } else { panel }
    });
    let tall = height(scene, window, 0.5 * WIDTH - 80.0) + 20.0;
    let caption = format!(
        "The witness function, one map for each coordinate. Where it is positive (red), the density of the model rises faster along that coordinate than that of the data; where it is negative (blue), slower. {MEANING}"
    );
    Picture::new(Figure::new(WIDTH).row(tall, panels.collect()).id("witness"), caption)
}

fn by_coordinate(scene: &Scene, sizes: Vec<f64>) -> Picture {
    let names: Vec<String> = (0..sizes.len()).map(|l| scene.label(l)).collect();
    let points = sizes.iter().enumerate().map(|(l, size)| (l as f64, *size)).collect();
    let look = Style::new(Color::BLUE).marker(Marker::Circle).size(4.0);
    let axis = Axis::linear("size of the witness").range(0.0, 1.1 * range(sizes.iter().copied()).1);
    let panel = Panel::new(Axis::categories("", names), axis).points(points, look);
    let caption = "The size of the witness function at the data (root mean square), one for each coordinate: model and \
                   data disagree most along those where it is large. How much they disagree in all is the \
                   discrepancy, and the test shows whether it is more than chance.";
    Picture::new(Figure::new(WIDTH).row(240.0, vec![panel]).id("witness"), caption)
}

#[cfg(test)]
mod tests {
    use steinbound::model::Gaussian;

    use super::*;

    #[test]
    fn sizes_are_not_called_a_shape() {
        let data = Points::from_rows(&[[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]]).unwrap();
        let model = Gaussian::with_variance(3, 1.0).unwrap();
        let scene = Scene::at(&data, &model, &[0.0; 3]);
        let caption = by_coordinate(&scene, vec![0.1, 0.2, 0.3]).caption;
        assert!(
            caption.contains("most along those where it is large") && !caption.contains("shape"),
            "{caption}"
        );
    }
}
