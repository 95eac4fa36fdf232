use super::estimate::{Estimate, centred, start_less};
use super::objective::Objective;
use super::search::search;
use crate::error::Error;
use crate::model::Model;
use crate::points::Points;

/// Where a search takes place: the data less an origin, and where to start there.
pub(crate) struct Ground<'a> {
    model: &'a dyn Model,
    origin: Vec<f64>,
    pub(crate) points: Points<'a>,
    start: Option<Vec<f64>>,
}

impl<'a> Ground<'a> {
    /// The ground for these data; a start is in fitted parameters.
    pub(crate) fn new(model: &'a dyn Model, data: &'a Points, start: Option<&[f64]>) -> Ground<'a> {
        let (origin, points) = centred(model, data);
        let start = start.map(|theta| start_less(model, theta, &origin));
        Ground { model, origin, points, start }
    }

    /// The minimum of an objective on this ground, for the data themselves.
    pub(crate) fn search(&self, objective: &dyn Objective, seed: u64) -> Result<Estimate, Error> {
        let found = search(objective, self.model, &self.points, self.start.as_deref(), seed)?;
        Ok(found.moved_back(self.model, &self.origin))
    }
}
