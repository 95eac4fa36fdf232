//! Run number k of a seed, and runs that change others.

use std::fmt;
use std::str::FromStr;

use crate::build;
use crate::case::Case;
use crate::catalogue::Catalogue;
use crate::change;
use crate::dice::Dice;
use crate::problem::Problem;

/// The origin of a case: the number of a run, and the numbers of further runs that changed it. Together with the
/// seed this repeats the case without any other run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lineage(pub Vec<u64>);

impl fmt::Display for Lineage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u64::to_string).collect();
        to.write_str(&numbers.join("."))
    }
}

impl FromStr for Lineage {
    type Err = String;

    fn from_str(text: &str) -> Result<Lineage, String> {
        let numbers: Result<Vec<u64>, _> = text.split('.').map(str::parse).collect();
        numbers
            .map(Lineage)
            .map_err(|_| format!("\"{text}\" is no run: write a number, or several with points between"))
    }
}

impl Lineage {
    /// A run that starts anew.
    pub fn of(number: u64) -> Lineage {
        Lineage(vec![number])
    }

    /// A run that changes another.
    pub fn child(&self, number: u64) -> Lineage {
        Lineage(self.0.iter().copied().chain([number]).collect())
    }
}

/// The case of a run.
pub fn case(catalogue: &Catalogue, seed: u64, lineage: &Lineage) -> Case {
    let mut numbers = lineage.0.iter();
    let mut dice = Dice::new(seed, *numbers.next().unwrap_or(&0));
    let problem = Problem::draw(&mut dice);
    let mut case = build::case(&mut dice, catalogue, &problem);
    // Half of the commands are as they should be, some have one thing wrong, and the others many.
    let changes = *dice.weighted(&[(50, 0), (30, 1), (10, 2), (5, 4), (5, 8)]);
    for _ in 0..changes {
        change::once(&mut dice, &mut case, &problem, catalogue);
    }
    for number in numbers {
        let mut dice = Dice::new(seed, *number);
        for _ in 0..dice.between(1, 3) {
            change::once(&mut dice, &mut case, &problem, catalogue);
        }
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lineage_is_written_and_read() {
        let lineage = Lineage::of(12).child(407);
        assert_eq!(lineage.to_string(), "12.407");
        assert_eq!("12.407".parse(), Ok(lineage));
        assert!("12.".parse::<Lineage>().is_err());
    }
}
