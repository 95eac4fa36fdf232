//! Options of bootstrap and tests.

use clap::Args;
use steinbound::Fit;
use steinbound::fit::Problem;
use steinbound::inference::{Bootstrap, GoodnessOfFit, Interval, Null, Resampling};

use crate::choices;
use crate::failure::Failure;
use crate::options::{count, number};
use crate::output::Output;
use crate::progress::Bar;

/// Standard errors and intervals by bootstrap.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Inference")]
pub struct BootstrapOptions {
    /// Standard errors and intervals by bootstrap, with so many replicates [default: sandwich].
    #[arg(long, value_name = "B", value_parser = count, allow_hyphen_values = true)]
    pub bootstrap: Option<usize>,
    /// What the bootstrap draws [default: nonparametric].
    #[arg(long, value_name = "KIND", value_parser = choices::resampling())]
    pub resampling: Option<Resampling>,
    /// How intervals are made of replicates [default: percentile].
    #[arg(long, value_name = "KIND", value_parser = choices::interval())]
    pub interval: Option<Interval>,
}

impl BootstrapOptions {
    /// Refuses what cannot work before anything is computed, and tells what has no effect.
    pub fn check(&self, confidence: f64, output: &Output) -> Result<(), Failure> {
        match self.bootstrap {
            Some(draws) if confidence > 0.0 && confidence < 1.0 => self
                .settings(draws)
                .check(confidence)
                .map_err(|error| Failure::input(format!("--bootstrap: {error}"))),
            Some(_) => Ok(()),
            None => {
                for (option, given) in
                    [("--resampling", self.resampling.is_some()), ("--interval", self.interval.is_some())]
                {
                    if given {
                        output.note(&format!("{option} has no effect without --bootstrap"));
                    }
                }
                Ok(())
            }
        }
    }

    fn settings<'a>(&self, draws: usize) -> Bootstrap<'a> {
        Bootstrap::new(draws)
            .resampling(self.resampling.unwrap_or_default())
            .interval(self.interval.unwrap_or_default())
    }

    /// The fit with intervals of the bootstrap, where it was asked for.
    pub fn apply(&self, problem: &Problem, fit: Fit, output: &Output) -> Result<Fit, steinbound::Error> {
        let Some(draws) = self.bootstrap else { return Ok(fit) };
        let bar = Bar::new("bootstrap", output.is_quiet());
        problem.bootstrap(fit, &self.settings(draws).progress(&|done, total| bar.tell(done, total)))
    }
}

/// A test of goodness of fit.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Inference")]
pub struct TestOptions {
    /// The number of draws under the hypothesis [default: 500].
    #[arg(long, value_name = "B", value_parser = count, allow_hyphen_values = true)]
    pub bootstrap: Option<usize>,
    /// The level of the test: how often a true model may be rejected.
    #[arg(long, default_value = "0.05", value_name = "LEVEL", value_parser = number, allow_hyphen_values = true)]
    pub level: f64,
    /// Where draws under the hypothesis come from [default: as suits the test].
    ///
    /// By itself: wild for given parameters, unless boundary points are sparse; parametric for fitted ones, where data can be drawn.
    #[arg(long, value_name = "KIND", value_parser = choices::null())]
    pub resampling: Option<Null>,
}

impl TestOptions {
    /// Tells that nothing is tested.
    pub fn note_unused(&self, is_tested: bool, output: &Output) {
        for (option, given) in
            [("--bootstrap", self.bootstrap.is_some()), ("--resampling", self.resampling.is_some())]
        {
            if given && !is_tested {
                output.note(&format!("{option} has no effect without --test"));
            }
        }
    }

    /// The test, which is refused before anything is computed where it cannot work.
    pub fn settings<'a>(&self) -> Result<GoodnessOfFit<'a>, Failure> {
        let mut settings = GoodnessOfFit::new().level(self.level);
        if let Some(draws) = self.bootstrap {
            settings = settings.draws(draws);
        }
        if let Some(null) = self.resampling {
            settings = settings.null(null);
        }
        settings.check().map_err(|error| Failure::input(error.to_string()))?;
        Ok(settings)
    }
}
