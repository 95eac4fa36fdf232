//! A user-defined kernel: powers of the inverse multiquadric, with tails of any heaviness.

use std::sync::Arc;

use steinbound::domain::Ball;
use steinbound::kernel::Kernel;
use steinbound::model::Gaussian;
use steinbound::{Error, Estimator, simulate};

/// The kernel `(1 + q)^-power` of the squared distance `q`, in units of the bandwidth.
#[derive(Debug)]
struct MultiquadricPower {
    power: f64,
}

impl Kernel for MultiquadricPower {
    fn name(&self) -> &'static str {
        "multiquadric-power"
    }

    fn meaning(&self) -> &'static str {
        "a power of the inverse multiquadric"
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("power", self.power)]
    }

    fn profile(&self, q: f64) -> [f64; 3] {
        let (base, power) = (1.0 + q, self.power);
        [base.powf(-power), -power * base.powf(-power - 1.0), power * (power + 1.0) * base.powf(-power - 2.0)]
    }
}

fn main() -> Result<(), Error> {
    let disc = Arc::new(Ball::new(1.4)?.in_dimension(2));
    let model = Gaussian::with_variance(2, 1.0)?;
    let data =
        simulate::truncated(&model, &[0.5, 0.5], disc.as_ref(), 500, &mut simulate::stream(1, 0))?.points;
    for power in [0.25, 0.5, 1.0, 2.0] {
        let kernel = Arc::new(MultiquadricPower { power });
        let fit = Estimator::tksd().kernel(kernel).domain(disc.clone()).fit(&data, &model)?;
        println!("power {power}: {:.3?}", fit.estimates());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use steinbound::kernel::conformance;

    use super::*;

    #[test]
    fn conforms() {
        for power in [0.25, 0.5, 1.0, 2.0] {
            assert_eq!(conformance::check(&MultiquadricPower { power }), Ok(()));
        }
    }

    #[test]
    fn powers_are_different_kernels() {
        let [one, two] = [1.0, 2.0].map(|power| MultiquadricPower { power });
        assert!(steinbound::kernel::is_same(&one, &one) && !steinbound::kernel::is_same(&one, &two));
    }

    #[test]
    fn the_power_of_one_half_is_the_inverse_multiquadric() -> Result<(), Error> {
        let (own, known) = (MultiquadricPower { power: 0.5 }, steinbound::kernel::by_name("imq")?);
        for q in [0.0, 0.3, 2.0, 50.0] {
            for (own, known) in own.profile(q).into_iter().zip(known.profile(q)) {
                assert!((own - known).abs() < 1e-14, "{own} and {known} at {q}");
            }
        }
        Ok(())
    }
}
