use crate::points::squared_distance;

/// The largest number of candidates from which `count` are chosen: the choice then takes about a tenth of a
/// second.
fn affordable(count: usize) -> usize {
    (50_000_000 / count.max(1)).max(count)
}

/// The number of candidates to draw if `count` of them are kept: ten times as many, or fewer if the choice
/// would be slow.
pub(super) fn candidates_for(count: usize) -> usize {
    count.saturating_mul(10).min(affordable(count))
}

/// Keeps `count` candidates that are far from each other: the next one is always the farthest from those
/// already kept.
///
/// The result covers the candidates evenly even if they were drawn unevenly: its fill distance is at most
/// twice the smallest possible. If there are at most `count` candidates, all are kept; if there are too many
/// to compare in reasonable time, a regular subset of them is used. Takes candidates times `count` distances.
pub(super) fn spread(candidates: Vec<f64>, dimension: usize, count: usize) -> Vec<f64> {
    if candidates.len() <= count * dimension || count == 0 {
        return candidates;
    }
    let given = candidates.len() / dimension;
    let looked_at = given.min(affordable(count));
    let row = |i: usize| {
        let at = i * given / looked_at;
        &candidates[at * dimension..(at + 1) * dimension]
    };
    farthest_first(looked_at, row, count, 0).into_iter().flat_map(|i| row(i).iter().copied()).collect()
}

/// The numbers of `count` places out of `of`: the first, then always the one farthest from those before. The beginning of
/// the list covers the places evenly, too. Takes `of` times `count` distances.
pub(crate) fn farthest_first<'a>(
    of: usize,
    row: impl Fn(usize) -> &'a [f64],
    count: usize,
    first: usize,
) -> Vec<usize> {
    let mut gaps = vec![f64::INFINITY; of];
    let mut kept = Vec::with_capacity(count.min(of));
    let mut next = first;
    for _ in 0..count.min(of) {
        kept.push(next);
        gaps[next] = f64::NEG_INFINITY;
        let mut farthest = (f64::NEG_INFINITY, 0);
        for i in 0..gaps.len() {
            if gaps[i] >= 0.0 {
                gaps[i] = gaps[i].min(squared_distance(row(i), row(next)));
            }
            if gaps[i] > farthest.0 {
                farthest = (gaps[i], i);
            }
        }
        next = farthest.1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    #[test]
    fn what_is_kept_is_spread_out() {
        // Crowded towards zero on the unit interval: of 5 kept, the ends are two and gaps are alike.
        let mut rng = stream(1, 0);
        let candidates: Vec<f64> = (0..2000).map(|_| rng.random::<f64>().powi(3)).collect();
        let mut kept = spread(candidates, 1, 5);
        kept.sort_by(f64::total_cmp);
        assert_eq!(kept.len(), 5);
        let gaps: Vec<f64> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| (0.12..0.5).contains(gap)), "{kept:?}");
    }

    #[test]
    fn few_candidates_are_all_kept_and_none_twice() {
        assert_eq!(spread(vec![1.0, 2.0, 3.0], 1, 3), vec![1.0, 2.0, 3.0]);
        let mut kept = spread(vec![1.0, 1.0, 1.0, 5.0], 1, 3);
        kept.sort_by(f64::total_cmp);
        assert_eq!(kept, vec![1.0, 1.0, 5.0]);
        let many = spread((0..40_000).map(f64::from).collect(), 1, 10_000);
        assert_eq!((many.len(), candidates_for(10_000)), (10_000, 10_000));
        assert_eq!(candidates_for(100), 1000);
        assert_eq!(candidates_for(1_000_000), 1_000_000);
    }
}
