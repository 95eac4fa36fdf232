use super::DistanceKind;
use crate::domain::Domain;

/// The settings that a method uses; all others have no effect on it.
///
/// ```
/// use steinbound::Method;
/// let uses = Method::TRUNCSM.uses();
/// assert!(uses.has_distance() && !uses.kernel && !uses.ridge);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uses {
    /// A kernel: its name and bandwidth, and how pairs of points are held.
    pub kernel: bool,
    /// The statistic: the mean over all pairs or over pairs of different points.
    pub statistic: bool,
    /// The ridge on the kernel matrix of the boundary points.
    pub ridge: bool,
    /// Points on the boundary, given or sampled from the domain.
    pub boundary_points: bool,
    /// Vectors perpendicular to the boundary at these points.
    pub boundary_normals: bool,
    /// The kinds of distance to the boundary that it supports; none if it needs no distance.
    pub distances: &'static [DistanceKind],
    /// The domain itself, to integrate over it.
    pub domain: bool,
    /// Whether it weighs equations, or chooses settings, by the data and their number: influence values are
    /// then those of the equations with their weights, and repeating a row is close to weighing it.
    pub adaptive: bool,
}

impl Uses {
    /// Only the data and the model.
    pub const NOTHING: Uses = Uses {
        kernel: false,
        statistic: false,
        ridge: false,
        boundary_points: false,
        boundary_normals: false,
        distances: &[],
        domain: false,
        adaptive: false,
    };

    /// A kernel and a statistic over pairs, as every Stein discrepancy does.
    pub const PAIRS: Uses = Uses { kernel: true, statistic: true, ..Uses::NOTHING };

    /// Whether it measures distances to the boundary.
    pub fn has_distance(self) -> bool {
        !self.distances.is_empty()
    }

    /// How it measures distances: as requested; else by the formula of the domain; for a domain without one,
    /// along the axes where it supports that; else to the nearest boundary point.
    ///
    /// ```
    /// use steinbound::Method;
    /// use steinbound::domain::LevelSet;
    /// use steinbound::fit::DistanceKind;
    /// let level = LevelSet::parse("x1^2 + x2^2 - 1", 2)?;
    /// assert_eq!(Method::TRUNCSM.uses().distance(None, Some(&level)), DistanceKind::Axes);
    /// assert_eq!(Method::BDKSD.uses().distance(None, Some(&level)), DistanceKind::Nearest);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn distance(self, asked: Option<DistanceKind>, domain: Option<&dyn Domain>) -> DistanceKind {
        asked.unwrap_or(match domain {
            Some(domain) if domain.has_distance() => DistanceKind::Exact,
            Some(_) if self.distances.contains(&DistanceKind::Axes) => DistanceKind::Axes,
            _ => DistanceKind::Nearest,
        })
    }

    /// Whether it takes the boundary into account.
    pub fn knows_boundary(self) -> bool {
        self.boundary_points || self.has_distance() || self.domain
    }
}
