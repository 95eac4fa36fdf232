use super::estimate::{Estimate, centred, start_less};
use super::objective::Objective;
use super::search::search;
use crate::error::Error;
use crate::model::Model;
use crate::points::Points;

/// The data of a search less an origin, and the start there.
pub(crate) struct CentredSearch<'a> {
    model: &'a dyn Model,
    origin: Vec<f64>,
    pub(crate) points: Points<'a>,
    start: Option<Vec<f64>>,
}

impl<'a> CentredSearch<'a> {
    /// The search for these data; the start is in fitted parameters.
    pub(crate) fn new(model: &'a dyn Model, data: &'a Points, start: Option<&[f64]>) -> CentredSearch<'a> {
        let (origin, points) = centred(model, data);
        let start = start.map(|theta| start_less(model, theta, &origin));
        CentredSearch { model, origin, points, start }
    }

    /// The minimum of an objective, in parameters for the data themselves.
    pub(crate) fn minimise(&self, objective: &dyn Objective, seed: u64) -> Result<Estimate, Error> {
        let found = search(objective, self.model, &self.points, self.start.as_deref(), seed)?;
        Ok(found.moved_back(self.model, &self.origin))
    }
}
