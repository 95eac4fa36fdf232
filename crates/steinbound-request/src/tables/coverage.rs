//! How well boundary points cover a boundary.

use steinbound::domain::Coverage;
use steinbound::text::{Document, Table, significant};

/// The share of a Gaussian kernel that is left at a boundary point when the others are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelLeak {
    /// The bandwidth of the kernel.
    pub bandwidth: f64,
    /// The mean share over the boundary points.
    pub mean: f64,
    /// The largest share.
    pub largest: f64,
}

/// The gaps between boundary points of a domain, and the leak for some data.
///
/// ```
/// use steinbound::domain::{Ball, BoundarySampling, Domain, coverage};
/// use steinbound::simulate::stream;
/// use steinbound_request::tables;
/// let disc = Ball::new(1.0)?.in_dimension(2);
/// let points = disc.sample_boundary(&BoundarySampling::new(64), &mut stream(1, 0))?;
/// let text = tables::coverage::document(&disc.describe(), &coverage(&disc, &points)?, None).to_string();
/// assert!(text.starts_with("64 points on the boundary of the l2 ball of radius 1\nfill distance  0."), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn document(domain: &str, coverage: &Coverage, leak: Option<KernelLeak>) -> Document {
    let number = |value: Option<f64>| value.map_or_else(|| "-".into(), significant);
    let fill = number(coverage.fill_distance);
    let mut facts = vec![
        ("fill distance", format!("{fill}  (the farthest place on the boundary from any point)")),
        ("mean gap", number(coverage.mean_gap)),
        ("closest pair", number(coverage.closest_pair)),
    ];
    if let Some(leak) = leak {
        let [mean, largest, bandwidth] = [leak.mean, leak.largest, leak.bandwidth].map(significant);
        facts.push((
            "leak",
            format!(
                "{mean} on average, {largest} at most  (what is left of a Gaussian kernel at a point when the others are \
                 known; bandwidth {bandwidth})"
            ),
        ));
    }
    Document::new()
        .line(format!("{} points on the boundary of the {domain}", coverage.points))
        .table(Table::facts(facts))
}
