//! Whole figures: well-formed, complete, in place, and drawn whatever they are given.

use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;
use resvg::usvg;
use resvg::usvg::roxmltree::{Document, Node};
use steinbound_plot::{
    Anchor, Axis, Color, ColorScale, Entry, Figure, Grid, Heatmap, Marker, Panel, PlotError, Style, png,
};

fn blue() -> Style {
    Style::new(Color::BLUE).marker(Marker::Circle)
}

fn heatmap(values: Vec<f64>) -> Heatmap {
    let (x_edges, y_edges) = (vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 2.0]);
    let (scale, label) = (ColorScale::sequential(0.0, 1.0), "share".to_string());
    Heatmap { x_edges, y_edges, values, scale, label, digits: Some(1) }
}

fn cone() -> Grid {
    let places: Vec<f64> = (0..9).map(|index| f64::from(index) / 4.0).collect();
    Grid::of(places.clone(), places, |x, y| 1.0 - (x - 1.0).hypot(y - 1.0))
}

/// One of every mark, on ranges from 0 to 2.
fn every_mark(axis: impl Fn() -> Axis) -> Panel {
    Panel::new(axis(), axis())
        .title("every mark")
        .heatmap(heatmap(vec![0.1, 0.9, f64::NAN, 0.5]))
        .filled_contours(cone(), vec![0.2, 0.6], ColorScale::sequential(0.0, 1.0))
        .contours(cone(), vec![0.2, 0.6], ColorScale::sequential(0.0, 1.0))
        .rings(
            vec![vec![(0.5, 0.5), (1.5, 0.5), (1.0, 1.5)]],
            Some(Color::LIGHT_GREY),
            Style::new(Color::BLACK),
        )
        .histogram(vec![0.5, 1.0, 1.5], vec![1.0, 2.0], Style::new(Color::SKY))
        .error_bars(vec![(0.5, 1.0, 0.2), (1.5, 1.0, 0.2)], blue())
        .line(vec![(0.5, 1.0), (1.5, 1.0)], blue())
        .points(vec![(0.6, 0.6), (0.7, 0.7), (0.8, 0.8)], Style::new(Color::GREEN).marker(Marker::Plus))
        .horizontal(1.0, Style::new(Color::GREY).dashed())
        .vertical(1.0, Style::new(Color::GREY).dotted())
        .text(1.0, 1.2, "note", Anchor::Middle)
}

fn full() -> Figure {
    let entries = (0..9).map(|index| Entry::line(format!("method number {index}"), blue()));
    Figure::new(720.0)
        .row(260.0, vec![every_mark(|| Axis::linear("x <&\"> y")), every_mark(|| Axis::log("log"))])
        .row_weighted(
            180.0,
            vec![
                (2.0, every_mark(|| Axis::categories("kind", ["a", "b", "c"]))),
                (1.0, every_mark(|| Axis::linear(""))),
            ],
        )
        .legend(entries.chain([Entry::marker("points", blue()), Entry::fill("region", Color::SKY)]).collect())
        .id("fig 2")
        .describe("A title. And <a> description.")
}

fn having<'a>(document: &'a Document, class: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.attribute("class") == Some(class)).collect()
}

fn number(node: &Node, name: &str) -> f64 {
    node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

fn elements(node: &Node, name: &str) -> usize {
    node.descendants().filter(|node| node.tag_name().name() == name).count()
}

#[test]
fn svg_is_well_formed_and_ids_are_its_own() {
    let svg = full().to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(ids.len(), distinct.len());
    assert!(ids.iter().all(|id| id.starts_with("fig-2")), "{ids:?}");
    for node in document.descendants() {
        for used in ["clip-path", "fill"].iter().filter_map(|name| node.attribute(*name)) {
            if let Some(id) = used.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
                assert!(ids.contains(&id), "{id}");
            }
        }
    }
    let text = |name: &str| {
        document.descendants().find(|node| node.tag_name().name() == name).and_then(|node| node.text())
    };
    assert_eq!((text("title"), text("desc")), (Some("A title"), Some("And <a> description.")));
    assert!(having(&document, "axis-label").iter().any(|label| label.text() == Some("x <&\"> y")));
}

#[test]
fn numbers_have_two_decimals_at_most() {
    let svg = full().to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    for node in document.descendants() {
        for name in ["x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height", "d"] {
            for part in
                node.attribute(name).unwrap_or("").split(|sign: char| !sign.is_ascii_digit() && sign != '.')
            {
                let decimals = part.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                assert!(decimals <= 2, "{part}");
            }
        }
    }
}

#[test]
fn the_legend_stands_below_all_panels_and_inside_the_figure() {
    let svg = full().to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    let bottom = |node: &Node| number(node, "y") + number(node, "height");
    let lowest = having(&document, "frame").iter().map(bottom).fold(0.0, f64::max);
    // Labels below the frames of the last row, whose place a transformation gives.
    let ticks = having(&document, "tick-labels").into_iter().flat_map(|group| group.descendants());
    let lowest = ticks.map(|node| number(&node, "y")).fold(lowest, f64::max);
    let legend = having(&document, "legend");
    assert_eq!(legend.len(), 1);
    assert_eq!(elements(&legend[0], "text"), 11);
    let height = number(&document.root_element(), "height");
    for node in legend[0].descendants() {
        for name in ["y", "y1", "cy"].iter().filter(|name| node.attribute(**name).is_some()) {
            assert!(number(&node, name) > lowest + 3.0 && number(&node, name) < height, "{node:?}");
        }
        assert!(number(&node, "x") < 720.0);
    }
}

#[test]
fn every_mark_is_drawn_once() {
    let svg = Figure::new(400.0).row(300.0, vec![every_mark(|| Axis::linear(""))]).to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    let expected = [
        ("heatmap", "rect", 3),
        ("heatmap", "text", 3),
        ("filled-contours", "path", 2),
        ("contours", "path", 2),
        ("rings", "path", 1),
        ("histogram", "path", 1),
        ("error-bars", "path", 1),
        ("line", "path", 1),
        ("line", "circle", 2),
        ("points", "path", 3),
        ("horizontal", "line", 1),
        ("vertical", "line", 1),
        ("note", "text", 1),
        ("frame", "rect", 1),
        ("color-bar", "linearGradient", 1),
    ];
    for (class, element, count) in expected {
        let groups = having(&document, class);
        assert_eq!(groups.len(), 1, "{class}");
        assert_eq!(elements(&groups[0], element), count, "{class} {element}");
    }
    let marks = &having(&document, "marks")[0];
    assert_eq!(marks.attribute("clip-path"), Some("url(#figure-panel1-clip)"));
    assert_eq!(marks.children().filter(Node::is_element).count(), 11);
}

#[test]
fn points_stand_where_the_axes_say() {
    let axis = || Axis::linear("").range(0.0, 4.0).ticks(vec![1.0]);
    let panel = Panel::new(axis(), axis()).points(vec![(1.0, 1.0), (9.0, 1.0), (f64::NAN, 1.0)], blue());
    let svg = Figure::new(300.0).row(300.0, vec![panel]).to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    let (frame, points) = (having(&document, "frame")[0], having(&document, "points")[0]);
    let circles: Vec<Node> = points.descendants().filter(|node| node.tag_name().name() == "circle").collect();
    assert_eq!(circles.len(), 1);
    let x = number(&frame, "x") + number(&frame, "width") / 4.0;
    let y = number(&frame, "y") + number(&frame, "height") * 3.0 / 4.0;
    assert!((number(&circles[0], "cx") - x).abs() < 0.02 && (number(&circles[0], "cy") - y).abs() < 0.02);
    let ticks: Vec<Node> =
        having(&document, "tick-labels")[0].descendants().filter(|node| node.text() == Some("1")).collect();
    assert!(ticks.iter().any(|tick| (number(tick, "x") - x).abs() < 0.02));
}

#[test]
fn gaps_break_lines_and_bars_below_zero_run_off_logarithms() {
    let gap = vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 2.0), (4.0, 1.0)];
    let panel = Panel::new(Axis::linear(""), Axis::log("")).line(gap, Style::new(Color::BLUE));
    let panel = panel.error_bars(vec![(1.0, 1.0, 0.5), (2.0, 1.0, 3.0)], Style::new(Color::BLUE));
    let svg = Figure::new(300.0).row(300.0, vec![panel]).to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    let strokes = |class: &str| {
        let path =
            having(&document, class)[0].descendants().find_map(|node| node.attribute("d")).expect("a path");
        path.matches('M').count()
    };
    assert_eq!(strokes("line"), 2);
    // A stem and two caps, then a stem and its upper cap.
    assert_eq!(strokes("error-bars"), 5);
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let (one, other) = (full().to_svg(), full().to_svg());
    assert_eq!(one, other);
    assert_eq!(png(&one, 1.0), png(&other, 1.0));
    // Those of every machine: Fowler, Noll and Vo's hash of the drawing.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    assert_eq!(format!("{:016x}", one.bytes().fold(0xcbf2_9ce4_8422_2325, mix)), "41f5654616b02b47");
}

/// The boxes of all text that is not turned, as the renderer finds them.
fn text_boxes(node: &usvg::Group, boxes: &mut Vec<usvg::Rect>) {
    for child in node.children() {
        match child {
            usvg::Node::Group(group) => text_boxes(group, boxes),
            usvg::Node::Text(text) if !text.abs_transform().has_skew() => boxes.push(text.abs_bounding_box()),
            _ => {}
        }
    }
}

#[test]
fn no_text_covers_another_or_leaves_the_figure() {
    let mut options = usvg::Options::default();
    for font in ["Regular", "Bold"] {
        let path = format!("{}/fonts/Roboto-{font}.ttf", env!("CARGO_MANIFEST_DIR"));
        options.fontdb_mut().load_font_data(std::fs::read(path).unwrap());
    }
    let axes: [fn() -> Axis; 5] = [
        || Axis::linear("a linear axis"),
        || Axis::linear("far from zero").range(1e6, 1e6 + 1.0),
        || Axis::linear("many ticks").ticks((0..100).map(f64::from).collect()),
        || Axis::log("eighteen decades").range(1e-9, 1e9),
        || Axis::linear("percent").percent(),
    ];
    for axis in axes {
        for (width, columns) in [(720.0, 2), (720.0, 4), (250.0, 1)] {
            let panel =
                || Panel::new(axis(), axis()).title("a title").line(vec![(0.4, 3.0), (90.0, 70.0)], blue());
            let panels = (0..columns).map(|_| panel()).collect();
            let entries = (0..7).map(|index| Entry::line(format!("method {index}"), blue())).collect();
            let figure = Figure::new(width).row(220.0, panels).legend(entries);
            let tree = usvg::Tree::from_str(&figure.to_svg(), &options).unwrap();
            let mut boxes = Vec::new();
            text_boxes(tree.root(), &mut boxes);
            assert!(boxes.len() > 8, "{}", boxes.len());
            for (at, one) in boxes.iter().enumerate() {
                let is_inside = one.left() >= 0.0
                    && one.top() >= 0.0
                    && one.right() <= tree.size().width()
                    && one.bottom() <= tree.size().height();
                assert!(is_inside, "{:?} {one:?}", axis());
                for other in &boxes[..at] {
                    // Boxes are as high as the font; digits leave some of that free above and below.
                    let apart = one.left() >= other.right()
                        || other.left() >= one.right()
                        || one.top() + 2.0 >= other.bottom() - 2.0
                        || other.top() + 2.0 >= one.bottom() - 2.0;
                    assert!(apart, "{:?}, {columns} columns: {one:?} {other:?}", axis());
                }
            }
        }
    }
}

#[test]
fn png_has_the_size_and_shows_something() {
    let svg = full().to_svg();
    let height: f64 = number(&Document::parse(&svg).expect("well-formed").root_element(), "height");
    let picture = Pixmap::decode_png(&png(&svg, 2.0).expect("a picture")).expect("a PNG");
    assert_eq!((f64::from(picture.width()), f64::from(picture.height())), (1440.0, 2.0 * height));
    let dark = picture
        .pixels()
        .iter()
        .filter(|pixel| pixel.red() < 80 && pixel.green() < 80 && pixel.blue() < 80)
        .count();
    assert!(dark > 2000 && dark < picture.pixels().len() / 4, "{dark}");
    assert!(picture.pixels().iter().all(|pixel| pixel.alpha() == 255));
}

#[test]
fn text_reaches_the_picture() {
    let dark = |title: &str| {
        let svg = Figure::new(300.0)
            .row(200.0, vec![Panel::new(Axis::linear(""), Axis::linear("")).title(title)])
            .to_svg();
        let picture = Pixmap::decode_png(&png(&svg, 1.0).expect("a picture")).expect("a PNG");
        picture.pixels().iter().filter(|pixel| pixel.red() < 128).count()
    };
    let (short, long) = (dark("l"), dark("lllllllllll"));
    assert!(long > short + 50, "{short} {long}");
}

#[test]
fn what_is_no_drawing_or_has_no_size_is_refused() {
    assert!(matches!(png("plainly not", 1.0), Err(PlotError::Svg(_))));
    let svg = Figure::new(100.0).to_svg();
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e6] {
        let refused = png(&svg, scale).expect_err("no size");
        assert!(matches!(refused, PlotError::Size { .. }));
        assert!(refused.to_string().contains("scale"));
    }
}

/// Numbers as they should not be.
fn hostile() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0_f64,
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 1e-320, -1e150, 1e16]),
        1 => any::<f64>(),
    ]
}

fn axis() -> impl Strategy<Value = Axis> {
    let kind = prop_oneof![
        Just(Axis::linear("linear")),
        Just(Axis::log("a label so long that it has to be wrapped over several lines")),
        Just(Axis::categories("", Vec::<String>::new())),
        Just(Axis::categories("names", ["a", "", "a very long name for a category"])),
        Just(Axis::linear("").from_zero().percent()),
    ];
    let range = prop::option::of((hostile(), hostile()));
    let ticks = prop::option::of(prop::collection::vec(hostile(), 0..5));
    (kind, range, ticks).prop_map(|(axis, range, ticks)| {
        let axis = range.map_or(axis.clone(), |(low, high)| axis.range(low, high));
        ticks.map_or(axis.clone(), |ticks| axis.ticks(ticks))
    })
}

fn panel() -> impl Strategy<Value = Panel> {
    let numbers = || prop::collection::vec(hostile(), 0..8);
    (axis(), axis(), numbers(), numbers(), numbers(), hostile(), 0..4_u8).prop_map(
        |(x, y, a, b, c, number, form)| {
            let points: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
            let bars = points.iter().zip(&c).map(|(&(x, y), &half)| (x, y, half)).collect();
            let grid = Grid { x: a.clone(), y: b.clone(), values: c.clone() };
            let style = Style::new(Color::ORANGE)
                .marker(Marker::Down)
                .width(number)
                .size(number)
                .opacity(number)
                .dashed();
            let scale = match form {
                0 => ColorScale::sequential(number, a.first().copied().unwrap_or(0.0)),
                1 => ColorScale::sequential_log(number, a.first().copied().unwrap_or(0.0)),
                _ => ColorScale::diverging(number),
            };
            let cells = Heatmap {
                x_edges: a.clone(),
                y_edges: b.clone(),
                values: c.clone(),
                scale: scale.clone(),
                label: "<".to_string(),
                digits: Some(400),
            };
            let panel = Panel::new(x, y)
                .title("a & b")
                .line(points.clone(), style.clone())
                .points(points.clone(), style.clone().hollow())
                .error_bars(bars, style.clone())
                .rings(vec![points.clone(), Vec::new()], None, style.clone())
                .histogram(a.clone(), b.clone(), style.clone())
                .contours(grid.clone(), c.clone(), scale.clone())
                .filled_contours(grid, c, scale)
                .horizontal(number, style.clone())
                .vertical(number, style)
                .text(number, number, "\u{1}note\u{ffff}", Anchor::End);
            match form {
                0 => panel.heatmap(cells).equal_aspect(),
                1 => panel.aspect(number).without_axes(),
                2 => panel.heatmap(cells).without_color_bar(),
                _ => panel,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_makes_it_panic(
        width in hostile(), height in hostile(), weight in hostile(), panels in prop::collection::vec(panel(), 0..4), name in ".{0,12}"
    ) {
        let panels: Vec<(f64, Panel)> = panels.into_iter().map(|panel| (weight, panel)).collect();
        let legend = vec![Entry::line(name.clone(), blue()), Entry::fill("", Color::YELLOW)];
        let figure = Figure::new(width.abs() * 50.0).row_weighted(height.abs() * 30.0, panels).row(0.0, Vec::new());
        let svg = figure.legend(legend).id(&name).describe(name).to_svg();
        prop_assert!(Document::parse(&svg).is_ok());
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""));
        if svg.len() < 200_000 {
            prop_assert!(png(&svg, 0.25).is_ok());
        }
    }
}
