//! A user-defined method: bd-KSD with the squared distance, whose weight is flat at the boundary.

use std::sync::Arc;

use steinbound::domain::Ball;
use steinbound::fit::DistanceKind;
use steinbound::method::{Preparation, Procedure, Solver, SteinSolver, Uses};
use steinbound::model::Gaussian;
use steinbound::stein::Weighted;
use steinbound::{Error, Estimator, Method, simulate};

/// Minimises the Stein discrepancy under the kernel `h(x)^2 k(x, y) h(y)^2`, `h` being the distance to the
/// boundary.
#[derive(Debug)]
struct SquaredDistance;

impl Procedure for SquaredDistance {
    fn name(&self) -> &'static str {
        "squared-distance"
    }

    fn meaning(&self) -> &'static str {
        "Stein discrepancy weighted by the square of the distance to the boundary"
    }

    fn uses(&self) -> Uses {
        Uses { distances: &[DistanceKind::Exact, DistanceKind::Nearest], ..Uses::PAIRS }
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let distance = preparation.distance()?.with_power(2.0)?;
        let form = Weighted::of(preparation.plain_form()?, preparation.data, distance)?;
        let statistic = preparation.setup.statistic.unwrap_or_default();
        Ok(Arc::new(SteinSolver::new(Arc::new(form), statistic)))
    }
}

fn main() -> Result<(), Error> {
    let disc = Arc::new(Ball::new(1.4)?.in_dimension(2));
    let model = Gaussian::with_variance(2, 1.0)?;
    let data =
        simulate::truncated(&model, &[0.5, 0.5], disc.as_ref(), 500, &mut simulate::stream(1, 0))?.points;
    for method in [Method::BDKSD, Method::new(&SquaredDistance)] {
        let fit = Estimator::new(method).domain(disc.clone()).fit(&data, &model)?;
        println!("{method}: {:.3?} +- {:.3?}", fit.estimates(), fit.std_errors());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use steinbound::method::conformance;

    use super::*;

    #[test]
    fn conforms() {
        assert_eq!(conformance::check(Method::new(&SquaredDistance)), Ok(()));
    }

    #[test]
    fn it_is_bdksd_with_a_power_of_two() -> Result<(), Error> {
        let disc = Arc::new(Ball::new(1.4)?.in_dimension(2));
        let model = Gaussian::with_variance(2, 1.0)?;
        let data =
            simulate::truncated(&model, &[0.5, 0.5], disc.as_ref(), 100, &mut simulate::stream(1, 0))?.points;
        let own = Estimator::new(Method::new(&SquaredDistance)).domain(disc.clone()).fit(&data, &model)?;
        let known = Estimator::bdksd().distance_power(2.0).domain(disc).fit(&data, &model)?;
        assert_eq!(own.estimates(), known.estimates());
        assert_eq!((own.setup.method.name(), known.setup.method.name()), ("squared-distance", "bdksd"));
        Ok(())
    }
}
