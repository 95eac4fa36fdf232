//! Terms made of terms: the rules of `:`, `*`, `/` and `^`.

use std::collections::BTreeSet;

use super::{Factor, Term};

/// Each term of the left joined with each of the right.
pub(super) fn products(left: &[Term], right: &[Term]) -> Vec<Term> {
    left.iter().flat_map(|term| right.iter().map(|next| [&term[..], next].concat())).collect()
}

/// `a*b`: both sides, and their products.
pub(super) fn starred(mut left: Vec<Term>, right: Vec<Term>) -> Vec<Term> {
    // In the order of a:c, b:c for the terms a and b.
    let joint: Vec<Term> =
        right.iter().flat_map(|next| left.iter().map(|term| [&term[..], next].concat())).collect();
    left.extend(right);
    left.extend(joint);
    left
}

/// `a/b`: the left side, and each term of the right within all of the left.
pub(super) fn nested(mut left: Vec<Term>, right: Vec<Term>) -> Vec<Term> {
    let mut keys = BTreeSet::new();
    let all: Term = left.concat().into_iter().filter(|factor| keys.insert(factor.key())).collect();
    left.extend(products(&[all], &right));
    left
}

/// `(a + b)^n`: the products of up to n terms, without repetitions; more than `most` if there are more.
pub(super) fn powers(terms: &[Term], order: usize, most: usize) -> Vec<Term> {
    let mut seen = BTreeSet::new();
    let mut all: Vec<Term> = Vec::new();
    let mut last: Vec<Term> = vec![Vec::new()];
    for _ in 0..order {
        let mut next = Vec::new();
        for term in &last {
            for factors in terms {
                let (key, joint) = without_repetition(term, factors);
                if seen.insert(key) {
                    next.push(joint);
                }
                if all.len() + next.len() > most {
                    all.extend(next);
                    return all;
                }
            }
        }
        if next.is_empty() {
            break;
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all
}

/// The factors of both, each once, and what is equal for terms of the same factors.
fn without_repetition(term: &[Factor], factors: &[Factor]) -> (BTreeSet<String>, Term) {
    let mut keys = BTreeSet::new();
    let joint = term.iter().chain(factors).filter(|factor| keys.insert(factor.key())).cloned().collect();
    (keys, joint)
}
