//! Designs against matrices written by hand, the interactions by the rule of `model.matrix` of R.

use steinbound_io::{Design, Formula, Frame, FrameOptions};

const TABLE: &str = "y,x,a,b,k\n1,2,p,u,10\n2,3,q,v,9\n3,5,p,v,10\n4,7,q,u,9\n5,1,r,u,100\n";

fn frame(text: &str, drop_missing: bool) -> Frame {
    Frame::parse("f.csv", text.as_bytes(), &FrameOptions { drop_missing, ..Default::default() }).unwrap()
}

fn design(formula: &str) -> Design {
    Formula::parse(formula).unwrap().design(&frame(TABLE, false)).unwrap()
}

/// The names and the rows, blank-separated.
fn expect(formula: &str, names: &str, rows: [&str; 5]) {
    let design = design(formula);
    assert_eq!(design.names, names.split(' ').collect::<Vec<_>>(), "{formula}");
    let numbers = |row: &str| row.split(' ').map(|value| value.parse().unwrap()).collect::<Vec<f64>>();
    assert_eq!(design.matrix.to_rows(), rows.map(numbers), "{formula}");
    assert_eq!(design.response, [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn columns_of_numbers_are_taken_as_they_are() {
    expect("y ~ x", "(Intercept) x", ["1 2", "1 3", "1 5", "1 7", "1 1"]);
    expect("y ~ 0 + x + k", "x k", ["2 10", "3 9", "5 10", "7 9", "1 100"]);
    expect("y ~ x:k", "(Intercept) x:k", ["1 20", "1 27", "1 50", "1 63", "1 100"]);
    expect("y ~ I(x^2)", "(Intercept) I(x^2)", ["1 4", "1 9", "1 25", "1 49", "1 1"]);
    assert_eq!(design("y ~ log(x)").matrix[(3, 1)], 7.0f64.ln());
}

#[test]
fn the_first_level_is_the_base() {
    let rows = ["1 0 0 0", "1 1 0 1", "1 0 0 1", "1 1 0 0", "1 0 1 0"];
    expect("y ~ a + b", "(Intercept) a[q] a[r] b[v]", rows);
    let rows = ["1 1 0 0", "1 0 0 1", "1 1 0 1", "1 0 0 0", "1 0 1 0"];
    expect("y ~ C(a, base=q) + b", "(Intercept) a[p] a[r] b[v]", rows);
}

#[test]
fn without_intercept_the_first_category_keeps_all_levels() {
    let rows = ["1 0 0 0", "0 1 0 1", "1 0 0 1", "0 1 0 0", "0 0 1 0"];
    expect("y ~ 0 + a + b", "a[p] a[q] a[r] b[v]", rows);
    let rows = ["2 1 0 0", "3 0 1 0", "5 1 0 0", "7 0 1 0", "1 0 0 1"];
    expect("y ~ x + a - 1", "x a[p] a[q] a[r]", rows);
    let rows = ["0 1 0", "0 0 1", "0 1 0", "0 0 1", "1 0 0"];
    expect("y ~ C(a, base=r) - 1", "a[r] a[p] a[q]", rows);
}

#[test]
fn levels_that_are_numbers_are_in_the_order_of_numbers() {
    let rows = ["1 1 0", "1 0 0", "1 1 0", "1 0 0", "1 0 1"];
    expect("y ~ C(k)", "(Intercept) k[10] k[100]", rows);
    expect("y ~ factor(k, base=9.0)", "(Intercept) k[10] k[100]", rows);
    let design = design("y ~ C(k, base=\"100\") + a");
    let levels: Vec<_> = design.levels().map(|(name, levels)| (name, levels.join(" "))).collect();
    assert_eq!(levels, [("k", "100 9 10".to_string()), ("a", "p q r".to_string())]);
}

#[test]
fn two_categories_interact() {
    let names = "(Intercept) a[q] a[r] b[v] a[q]:b[v] a[r]:b[v]";
    let rows = ["1 0 0 0 0 0", "1 1 0 1 1 0", "1 0 0 1 0 0", "1 1 0 0 0 0", "1 0 1 0 0 0"];
    expect("y ~ a*b", names, rows);
    expect(
        "y ~ a:b + b + a + b",
        "(Intercept) b[v] a[q] a[r] a[q]:b[v] a[r]:b[v]",
        ["1 0 0 0 0 0", "1 1 1 0 1 0", "1 1 0 0 0 0", "1 0 1 0 0 0", "1 0 0 1 0 0"],
    );
    // The slopes of b within each level of a: all levels of a, all but the first of b.
    let names = "(Intercept) a[q] a[r] a[p]:b[v] a[q]:b[v] a[r]:b[v]";
    let rows = ["1 0 0 0 0 0", "1 1 0 0 1 0", "1 0 0 1 0 0", "1 1 0 0 0 0", "1 0 1 0 0 0"];
    expect("y ~ a + a:b", names, rows);
    let names = "a[p]:b[u] a[q]:b[u] a[r]:b[u] a[p]:b[v] a[q]:b[v] a[r]:b[v]";
    let rows = ["1 0 0 0 0 0", "0 0 0 0 1 0", "0 0 0 1 0 0", "0 1 0 0 0 0", "0 0 1 0 0 0"];
    expect("y ~ 0 + a:b", names, rows);
    expect("y ~ a:b", &format!("(Intercept) {names}"), rows.map(|row| format!("1 {row}").leak() as &str));
    let names = "a[p] a[q] a[r] b[v] a[q]:b[v] a[r]:b[v]";
    let rows = ["1 0 0 0 0 0", "0 1 0 1 1 0", "1 0 0 1 0 0", "0 1 0 0 0 0", "0 0 1 0 0 0"];
    expect("y ~ a*b - 1", names, rows);
}

#[test]
fn a_category_interacts_with_numbers() {
    let names = "(Intercept) a[q] a[r] x a[q]:x a[r]:x";
    let rows = ["1 0 0 2 0 0", "1 1 0 3 3 0", "1 0 0 5 0 0", "1 1 0 7 7 0", "1 0 1 1 0 1"];
    expect("y ~ a*x", names, rows);
    let rows = ["1 2 0 0", "1 3 3 0", "1 5 0 0", "1 7 7 0", "1 1 0 1"];
    expect("y ~ x + a:x", "(Intercept) x x:a[q] x:a[r]", rows);
    let rows = ["1 2 0 0", "1 0 3 0", "1 5 0 0", "1 0 7 0", "1 0 0 1"];
    expect("y ~ a:x", "(Intercept) a[p]:x a[q]:x a[r]:x", rows);
    let names = "(Intercept) a[q] a[r] a[p]:x a[q]:x a[r]:x";
    let rows = ["1 0 0 2 0 0", "1 1 0 0 3 0", "1 0 0 5 0 0", "1 1 0 0 7 0", "1 0 1 0 0 1"];
    expect("y ~ a + a:x", names, rows);
    let names = "x x:a[p] x:a[q] x:a[r]";
    let rows = ["2 2 0 0", "3 0 3 0", "5 5 0 0", "7 0 7 0", "1 0 0 1"];
    expect("y ~ 0 + x + x:a", names, rows);
}

#[test]
fn three_factors_follow_the_margins() {
    assert_eq!(
        design("y ~ a*b*x").names.join(" "),
        "(Intercept) a[q] a[r] b[v] x a[q]:b[v] a[r]:b[v] a[q]:x a[r]:x b[v]:x a[q]:b[v]:x a[r]:b[v]:x"
    );
    // Nothing spans b:x or a:x, while a:b does for x.
    assert_eq!(
        design("y ~ a:b:x + a:b - a").names[7..].join(" "),
        "a[p]:b[u]:x a[q]:b[u]:x a[r]:b[u]:x a[p]:b[v]:x a[q]:b[v]:x a[r]:b[v]:x"
    );
}

#[test]
fn rows_without_values_are_left_out_where_they_may_be() {
    let text = "y,g,x,note\n1,a,,\n2,NA,1,\n3,b,2,\n,c,3,\n4,b,4,\n5,d,5,\n";
    let formula = Formula::parse("y ~ g + x").unwrap();
    let design = formula.design(&frame(text, true)).unwrap();
    assert_eq!(
        (design.rows, design.names),
        (vec![2, 4, 5], vec!["(Intercept)".into(), "g[d]".into(), "x".into()])
    );
    assert_eq!(design.response, [3.0, 4.0, 5.0]);
    let error = formula.design(&frame(text, false)).unwrap_err().to_string();
    assert!(error.starts_with("f.csv, line 2, column 3 (\"x\"): the value is missing"), "{error}");
}

#[test]
fn other_data_get_the_same_columns() {
    let design = design("y ~ C(a, base=q)*log(x) + C(k)");
    let new = frame("k,note,a,x\n9.0,,r,1\n1e2,,q,2\n", false);
    let matrix = design.apply(&new).unwrap();
    assert_eq!(design.columns(), ["a", "x", "k"]);
    let names = "(Intercept) a[p] a[r] log(x) k[10] k[100] a[p]:log(x) a[r]:log(x)";
    assert_eq!(design.names, names.split(' ').collect::<Vec<_>>());
    let log = 2.0f64.ln();
    let rows = [[1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, log, 0.0, 1.0, 0.0, 0.0]];
    assert_eq!(matrix.to_rows(), rows);
    assert_eq!(design.apply(&frame(TABLE, false)).unwrap(), design.matrix);
    let refused = |text: &str| design.apply(&frame(text, false)).unwrap_err().to_string();
    assert_eq!(
        refused("a,x,k\nq,1,9\ns,1,9\n"),
        "f.csv, line 3: a has the level \"s\", which is not among the known ones (q, p, r); correct it, or leave out that line"
    );
    assert!(refused("a,x,k\nq,1,8\n").contains("k has the level \"8\""));
    assert!(refused("a,x,k\nq,0,9\n").contains("line 2: the term log(x) is -inf, not a finite number"));
    assert!(refused("a,x\nq,1\n").contains("has no column \"k\""));
    assert!(refused("a,x,k\nq,,9\n").contains("the value is missing"));
}

#[test]
fn deviations_from_the_mean_of_levels() {
    let rows = ["1 1 0", "1 0 1", "1 1 0", "1 0 1", "1 -1 -1"];
    expect("y ~ C(a, Sum)", "(Intercept) a[S.p] a[S.q]", rows);
    let rows = ["1 0 0", "0 1 0", "1 0 0", "0 1 0", "0 0 1"];
    expect("y ~ C(a, Sum) - 1", "a[p] a[q] a[r]", rows);
}

#[test]
fn levels_have_the_order_that_the_table_gives() {
    let order = |levels: &[&str]| levels.iter().map(|level| (*level).to_string()).collect::<Vec<_>>();
    let frame = frame(TABLE, false).with_levels("a", order(&["z", "r", "p", "y", "q"])).unwrap();
    let design = |formula: &str| Formula::parse(formula).unwrap().design(&frame).unwrap();
    assert_eq!(design("y ~ a").names, ["(Intercept)", "a[p]", "a[q]"]);
    assert_eq!(design("y ~ C(a, base=q) + b").names, ["(Intercept)", "a[r]", "a[p]", "b[v]"]);
    assert_eq!(design("y ~ a").notes, ["no row has these levels of a, which are left out: z, y"]);
    assert!(design("y ~ b").notes.is_empty());
    // A level that only other data have is refused, declared or not.
    let new = Frame::parse("new.csv", b"a\np\nz\n", &FrameOptions::default()).unwrap();
    let error = design("y ~ a").apply(&new).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "new.csv, line 3: a has the level \"z\", which is not among the known ones (r, p, q)"
        )
    );
}

#[test]
fn a_response_may_be_a_function_of_its_column() {
    use steinbound::regression::ResponseLimit::{Constant, Each};
    let of = |formula: &str| design(formula);
    let logarithm = of("log(y) ~ x");
    assert_eq!(logarithm.response, [1.0, 2.0, 3.0, 4.0, 5.0].map(f64::ln));
    assert_eq!((logarithm.response_name.as_str(), logarithm.response_column()), ("log(y)", "y"));
    assert_eq!(logarithm.notes.len(), 1);
    let limits = |formula: &str, lower, upper| of(formula).limits([lower, upper]);
    let each = Some(Each(vec![1.0, 0.5, 1.0, 2.0, 1.0]));
    let found = limits("log(y) ~ x", each.clone(), Some(Constant(8.0))).unwrap();
    let expected = [Some(Each([1.0, 0.5, 1.0, 2.0, 1.0].map(f64::ln).to_vec())), Some(Constant(8.0f64.ln()))];
    assert_eq!(found, expected);
    assert_eq!(limits("1/y ~ x", Some(Constant(0.5)), None).unwrap(), [None, Some(Constant(2.0))]);
    assert_eq!(limits("y ~ x", each.clone(), None).unwrap(), [each, None]);
    assert_eq!(limits("I(y^2) ~ x", None, None).unwrap(), [None, None]);
    let refused =
        |formula: &str, lower: f64| limits(formula, Some(Constant(lower)), None).unwrap_err().to_string();
    assert!(refused("log(y) ~ x", 0.0).starts_with("the response log(y) is -inf at the limit 0"));
    assert!(refused("sqrt(y) ~ x", -1.0).starts_with("the response sqrt(y) is NaN at the limit -1"));
    let message = refused("I((y - 3)^2) ~ x", 0.0);
    assert!(message.contains("neither increases nor decreases everywhere between 0 and 5"), "{message}");
    assert!(refused("abs(y) ~ x", -1.0).contains("neither increases nor decreases"));
    let decreasing =
        ["-log(y) ~ x", "1/y ~ x", "log(y) ~ x", "y ~ x"].map(|formula| of(formula).is_decreasing());
    assert_eq!(decreasing, [true, true, false, false]);
    // Values that are learned belong to the function, too.
    let scaled = of("scale(y) ~ x");
    let found = scaled.limits([Some(Constant(3.0)), None]).unwrap();
    assert_eq!(found, [Some(Constant(0.0)), None]);
}

/// Derivatives against differences of designs of changed data, for all kinds of terms; and the same functions
/// for other data.
#[test]
fn derivatives_and_other_data_use_what_was_learned() {
    let table = |shift: f64, rows: &[usize]| {
        let mut text = String::from("y,x,z,g\n");
        for i in rows {
            let x = 1.0 + (*i as f64 * 0.37).sin() + 0.05 * *i as f64 + shift;
            text.push_str(&format!("{i},{x:.17},{},{}\n", 1 + i % 5, ["a", "b", "c"][i % 3]));
        }
        frame(&text, false)
    };
    let all: Vec<usize> = (0..40).collect();
    let first = table(0.0, &all);
    for formula in [
        "y ~ x*g + I(x^2) + log(x + z)",
        "y ~ poly(x, 4)*g + z",
        "y ~ bs(x, df=6, lower_bound=-1, upper_bound=9):z",
        "y ~ ns(x, knots=[1, 2]) + scale(x):center(z)",
        "y ~ poly(log(x + 3), 3, raw=TRUE) + standardize(sqrt(x + 2)) + C(g, Sum):x",
        "y ~ bs(x, knots=[1.5], degree=2, lower_bound=-1, upper_bound=9, intercept=TRUE) - 1",
        "y ~ I(x*z^2) + I(scale(x)^3) + exp(-x/z) + max(x, 0)",
    ] {
        let design = Formula::parse(formula).unwrap().design(&first).unwrap();
        let slopes = design.derivative(&first, "x").unwrap();
        let step = 1e-6;
        let (above, below) =
            (design.apply(&table(step, &all)).unwrap(), design.apply(&table(-step, &all)).unwrap());
        for j in 0..design.names.len() {
            for i in 0..40 {
                let difference = (above[(i, j)] - below[(i, j)]) / (2.0 * step);
                let error = (slopes[(i, j)] - difference).abs() / difference.abs().max(1.0);
                assert!(
                    error < 1e-6,
                    "{formula}, {}, row {i}: {} {difference}",
                    design.names[j],
                    slopes[(i, j)]
                );
            }
        }
        // Few rows of the same data, in another order, get the same values.
        let some = [7, 3, 31];
        let again = design.apply(&table(0.0, &some)).unwrap();
        for (row, i) in some.iter().enumerate() {
            for j in 0..design.names.len() {
                assert_eq!(again[(row, j)], design.matrix[(*i, j)], "{formula}");
            }
        }
    }
    let design = Formula::parse("y ~ g + bs(x, df=4)").unwrap().design(&first).unwrap();
    let error = design.derivative(&first, "g").unwrap_err().to_string();
    assert_eq!(error, "g is a category, which has no derivative; compare its levels");
    let error = design.apply(&table(1.0, &all)).unwrap_err().to_string();
    assert!(
        error.contains("bs(x, df=4) is a spline from") && error.contains("give the spline wider ends"),
        "{error}"
    );
}
