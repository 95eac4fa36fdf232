/// The point between one inside and one outside where membership changes, by bisection to the last bit; it
/// lies inside.
pub(super) fn crossing(contains: impl Fn(&[f64]) -> bool, inside: &[f64], outside: &[f64]) -> Vec<f64> {
    let mut inside = inside.to_vec();
    let mut outside = outside.to_vec();
    let mut middle = inside.clone();
    // A coordinate has 53 bits, and starts at most a few binary orders from its limit.
    for _ in 0..80 {
        for ((m, a), b) in middle.iter_mut().zip(&inside).zip(&outside) {
            *m = 0.5 * a + 0.5 * b;
        }
        if middle == inside || middle == outside {
            break;
        }
        let side = if contains(&middle) { &mut inside } else { &mut outside };
        side.copy_from_slice(&middle);
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crossing_is_inside_and_next_to_the_outside() {
        let contains = |x: &[f64]| x[0] * x[0] <= 2.0;
        let at = crossing(contains, &[0.0], &[5.0])[0];
        assert!(contains(&[at]) && !contains(&[at.next_up()]));
        // One coordinate may stay as it is.
        let at = crossing(|x| x[0] + x[1] <= 1.0, &[0.0, 0.25], &[3.0, 0.25]);
        assert!((at[0] - 0.75).abs() < 1e-15 && at[1] == 0.25);
    }
}
