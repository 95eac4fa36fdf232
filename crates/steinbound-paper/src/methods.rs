//! Names of methods in tables and their look in figures: the same colour everywhere.

use steinbound_plot::{Color, Entry, Marker, Style};

/// Efficient Stein estimation that knows the region and places its boundary points itself.
pub const EFFICIENT: &str = "efficient";
/// Efficient Stein estimation with the boundary points that TKSD has, and no more.
pub const EFFICIENT_POINTS: &str = "efficient-points";
/// TKSD with boundary points.
pub const TKSD: &str = "tksd";
/// TKSD with the lowest of the minima found from several starts.
pub const TKSD_STARTS: &str = "tksd-starts";
/// TKSD by its U-statistic.
pub const TKSD_U: &str = "tksd-u";
/// TKSD of a regression with the paper's kernel, on the response alone.
pub const TKSD_RESPONSE: &str = "tksd-response";
/// TruncSM with the exact distance to the boundary.
pub const TRUNCSM: &str = "truncsm";
/// TruncSM with the distance to the nearest boundary point.
pub const TRUNCSM_NEAREST: &str = "truncsm-nearest";
/// TruncSM as the public code has it, with sums over rows of the Hessian.
pub const TRUNCSM_ROWS: &str = "truncsm-rows";
/// bd-KSD with the exact distance to the boundary.
pub const BDKSD: &str = "bdksd";
/// bd-KSD with the distance to the nearest boundary point.
pub const BDKSD_NEAREST: &str = "bdksd-nearest";
/// Truncated maximum likelihood.
pub const LIKELIHOOD: &str = "truncated-mle";
/// Maximum likelihood, or least squares, that ignores the truncation.
pub const NAIVE: &str = "mle";

/// The name of a method in figures.
pub fn label(method: &str) -> &str {
    match method {
        EFFICIENT => "efficient",
        EFFICIENT_POINTS => "efficient, the same points",
        TKSD => "TKSD",
        TKSD_STARTS => "TKSD, several starts",
        TKSD_U => "TKSD, U-statistic",
        TKSD_RESPONSE => "TKSD, kernel on the response",
        TRUNCSM => "TruncSM, exact distance",
        TRUNCSM_NEAREST => "TruncSM, nearest point",
        TRUNCSM_ROWS => "TruncSM, row sums (public code)",
        BDKSD => "bd-KSD, exact distance",
        BDKSD_NEAREST => "bd-KSD, nearest point",
        LIKELIHOOD => "truncated likelihood",
        NAIVE => "ignoring the truncation",
        other => other,
    }
}

/// The colour of efficient estimation. Colour-blind readers can tell it from those of the other methods, too, as
/// well as inverted on a dark page.
const CRIMSON: Color = Color::rgb(0x99, 0x22, 0x44);

/// A method's colour.
pub fn color(method: &str) -> Color {
    match method {
        EFFICIENT | EFFICIENT_POINTS => CRIMSON,
        TKSD => Color::BLUE,
        TKSD_STARTS | TKSD_U | TKSD_RESPONSE => Color::SKY,
        TRUNCSM | TRUNCSM_NEAREST => Color::VERMILLION,
        TRUNCSM_ROWS => Color::PURPLE,
        BDKSD | BDKSD_NEAREST => Color::GREEN,
        LIKELIHOOD => Color::BLACK,
        _ => Color::ORANGE,
    }
}

/// The line style of a method: solid for a method at its best, dashed for a variant.
pub fn line(method: &str) -> Style {
    let style = Style::new(color(method));
    match method {
        EFFICIENT_POINTS | TKSD_STARTS | TKSD_U | TKSD_RESPONSE | TRUNCSM_NEAREST | TRUNCSM_ROWS
        | BDKSD_NEAREST => style.dashed(),
        LIKELIHOOD => style.dotted(),
        _ => style,
    }
}

/// The same with markers; those of variants are hollow.
pub fn style(method: &str) -> Style {
    let line = line(method);
    match method {
        EFFICIENT => line.marker(Marker::Down),
        EFFICIENT_POINTS => line.marker(Marker::Down).hollow(),
        TKSD => line.marker(Marker::Circle),
        // Larger, so that markers below remain visible.
        TKSD_U => line.marker(Marker::Circle).hollow().size(5.5),
        TKSD_STARTS | TKSD_RESPONSE => line.marker(Marker::Circle).hollow(),
        TRUNCSM => line.marker(Marker::Square),
        TRUNCSM_NEAREST | TRUNCSM_ROWS => line.marker(Marker::Square).hollow(),
        BDKSD => line.marker(Marker::Triangle),
        BDKSD_NEAREST => line.marker(Marker::Triangle).hollow(),
        LIKELIHOOD => line.marker(Marker::Diamond),
        _ => line.marker(Marker::Cross),
    }
}

/// The entries of a legend.
pub fn legend(methods: &[&str]) -> Vec<Entry> {
    methods.iter().map(|method| Entry::line(label(method), style(method))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 13] = [
        EFFICIENT,
        EFFICIENT_POINTS,
        TKSD,
        TKSD_STARTS,
        TKSD_U,
        TKSD_RESPONSE,
        TRUNCSM,
        TRUNCSM_NEAREST,
        TRUNCSM_ROWS,
        BDKSD,
        BDKSD_NEAREST,
        LIKELIHOOD,
        NAIVE,
    ];

    #[test]
    fn methods_have_names_and_looks_of_their_own() {
        for (place, one) in ALL.into_iter().enumerate() {
            for other in &ALL[..place] {
                assert_ne!(label(one), label(other));
                // No figure has two of these.
                let variants = [TKSD_STARTS, TKSD_U, TKSD_RESPONSE];
                if !(variants.contains(&one) && variants.contains(other)) {
                    assert_ne!(style(one), style(other), "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn no_other_method_has_the_colour_of_efficient() {
        let is_efficient = |method: &&str| [EFFICIENT, EFFICIENT_POINTS].contains(method);
        for method in ALL {
            assert_eq!(color(method) == color(EFFICIENT), is_efficient(&method), "{method}");
        }
    }
}
