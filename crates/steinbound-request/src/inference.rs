//! Bootstrap and tests, from options.

use steinbound::inference::{Bootstrap, GoodnessOfFit};

use crate::choices;
use crate::effect::Situation;
use crate::error::RequestError;
use crate::option::Options;
use crate::options;
use crate::wording::Wording;

impl Options {
    /// The confidence level of intervals.
    pub fn confidence(&self) -> f64 {
        self.number(&options::CONFIDENCE).unwrap_or(0.95)
    }

    /// The bootstrap, where one is asked for.
    pub fn bootstrap<'a>(&self) -> Option<Bootstrap<'a>> {
        let resampling = self.choice(&options::RESAMPLING, choices::resampling()).unwrap_or_default();
        let interval = self.choice(&options::INTERVAL, choices::interval()).unwrap_or_default();
        let draws = self.count(&options::BOOTSTRAP)?;
        Some(Bootstrap::new(draws).resampling(resampling).interval(interval))
    }

    /// Refuses a bootstrap that cannot work, before anything is computed.
    pub fn check_bootstrap(&self, wording: Wording) -> Result<(), RequestError> {
        let confidence = self.confidence();
        match self.bootstrap() {
            // The estimator refuses other levels.
            Some(bootstrap) if confidence > 0.0 && confidence < 1.0 => bootstrap
                .check(confidence)
                .map_err(|error| RequestError::value(wording.option("bootstrap"), error)),
            _ => Ok(()),
        }
    }

    /// The test of goodness of fit, which is refused before anything is computed where it cannot work.
    ///
    /// ```
    /// use steinbound_request::{Options, Value, options};
    /// let mut given = Options::new();
    /// assert!(given.goodness_of_fit().is_ok());
    /// given.set(&options::LEVEL, Value::Number(2.0));
    /// assert!(given.goodness_of_fit().is_err());
    /// ```
    pub fn goodness_of_fit<'a>(&self) -> Result<GoodnessOfFit<'a>, RequestError> {
        let mut test = GoodnessOfFit::new();
        if let Some(level) = self.number(&options::LEVEL) {
            test = test.level(level);
        }
        if let Some(draws) = self.count(&options::TEST_DRAWS) {
            test = test.draws(draws);
        }
        if let Some(null) = self.choice(&options::NULL, choices::null()) {
            test = test.null(null);
        }
        test.check()?;
        Ok(test)
    }
}

impl Situation<'_> {
    /// Notes about options of a bootstrap where there is none.
    pub fn bootstrap_notes(&self) -> Vec<String> {
        self.notes(&options::BOOTSTRAPPING)
    }

    /// Notes about options of a test where there is none.
    pub fn test_notes(&self) -> Vec<String> {
        self.notes(&options::TESTING)
    }
}
