//! What is asked of the estimates: a hypothesis to test, functions to compute.

use clap::Args;
use steinbound_request::Questions;

use crate::failure::Failure;
use crate::options::WORDING;

/// Questions about the estimates.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Inference")]
pub struct QuestionOptions {
    /// Test linear equations in the parameters, such as "mean[x1] = mean[x2]".
    ///
    /// Parameters go by their names in the table; equations are separated by commas, and a missing right side is 0.
    #[arg(long, value_name = "EQUATIONS", allow_hyphen_values = true)]
    pub hypothesis: Option<String>,
    /// A function of the parameters, with its standard error: "ratio = mean[x1] / mean[x2]".
    ///
    /// May be given several times.
    #[arg(long, value_name = "NAME=FORMULA", allow_hyphen_values = true)]
    pub derive: Vec<String>,
}

impl QuestionOptions {
    /// Reads the questions about parameters of these names.
    pub fn read(&self, names: &[String]) -> Result<Questions, Failure> {
        Ok(Questions::parse(self.hypothesis.as_deref(), &self.derive, names, WORDING)?)
    }
}
