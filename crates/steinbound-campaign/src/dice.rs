//! Random choices that a seed and a number repeat.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A source of choices.
#[derive(Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The choices of one run of a campaign.
    pub fn new(seed: u64, number: u64) -> Dice {
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        source.set_stream(number);
        Dice(source)
    }

    /// A number below the limit, which is at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.random_range(0..limit.max(1))
    }

    /// A number from the first to the last, both included.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        self.0.random_range(first..=last.max(first))
    }

    /// Whether something happens that does so in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// One of a list by weight.
    pub fn weighted<'a, T>(&mut self, list: &'a [(usize, T)]) -> &'a T {
        let mut left = self.below(list.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in list {
            if left < *weight {
                return item;
            }
            left -= weight;
        }
        &list[0].1
    }

    /// A number from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0.random_range(0.0..1.0)
    }

    /// A number from -1 to 1.
    pub fn centred(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    /// A number that is nearly normal: the sum of twelve uniform ones.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.0.random_range(0..=255)
    }
}
