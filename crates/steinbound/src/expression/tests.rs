use num_dual::{Dual64, HyperDual64, HyperHyperDual64, third_derivative, third_partial_derivative};
use proptest::prelude::*;

use super::*;

const NAMES: [&str; 2] = ["x", "y"];

fn parse(text: &str) -> Expression {
    Expression::parse(text, &NAMES).unwrap()
}

fn message(text: &str) -> String {
    Expression::parse(text, &["x", "mu", "annual income"]).unwrap_err().to_string()
}

/// Precedence is that of mathematics. Values at x = 3, y = 5.
#[test]
fn operators_bind_as_in_mathematics() {
    let table = [
        ("1 + 2*3", 7.0),
        ("2*3 + 1", 7.0),
        ("(1 + 2)*3", 9.0),
        ("1 - 2 - 3", -4.0),
        ("1 - (2 - 3)", 2.0),
        ("12/2/3", 2.0),
        ("12/2*3", 18.0),
        ("-x^2", -9.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^3^2", 512.0),
        ("2**3**2", 512.0),
        ("(2^3)^2", 64.0),
        ("2^-1", 0.5),
        ("x^-2", 1.0 / 9.0),
        ("2^-1*4", 2.0),
        ("2^-x^2", 1.0 / 512.0),
        ("2*-3", -6.0),
        ("2*-3^2", -18.0),
        ("-x*y", -15.0),
        ("- -x", 3.0),
        ("--+-x", -3.0),
        ("1 - -x", 4.0),
        ("1 + +x", 4.0),
        ("-x/y", -0.6),
        ("x*y^2", 75.0),
        ("-x^y", -243.0),
        ("pow(2, 10)", 1024.0),
        ("pow(x, y)", 243.0),
        ("min(x, y, 1)", 1.0),
        ("max(x, y, 1)", 5.0),
        ("max(-x, -y)", -3.0),
        ("exp(0) + log(e)", 2.0),
        ("log2(8) + log10(100) + log1p(0) + expm1(0)", 5.0),
        ("sqrt(16) + cbrt(-27)", 1.0),
        ("abs(-x) + sign(-y) + sign(0)", 2.0),
        ("cos(pi)", -1.0),
        ("tanh(1000) + tanh(-1000) + sinh(0) + cosh(0)", 1.0),
        ("asin(1) + acos(1) + 2*atan(0)", std::f64::consts::FRAC_PI_2),
        (".5 + 1. + 1e-3 + 2.5E+6 + 1e2", 2_500_101.501),
        ("  x\t+\n y ", 8.0),
        ("`x`*`y`", 15.0),
        ("((((x))))", 3.0),
    ];
    for (text, value) in table {
        let found = parse(text).evaluate(&[3.0, 5.0]);
        assert!((found - value).abs() <= 1e-12 * value.abs().max(1.0), "{text} is {found}, not {value}");
    }
    assert!((parse("sin(x)^2 + cos(x)^2 - tan(x)*cos(x)/sin(x)").evaluate(&[0.7f64, 0.0])).abs() < 1e-15);
}

#[test]
fn names_may_shadow_constants_and_functions() {
    let formula = Expression::parse("e + exp + exp(0) + größe_1.a", &["e", "exp", "größe_1.a"]).unwrap();
    assert_eq!(formula.evaluate(&[1.0, 10.0, 100.0]), 112.0);
    assert_eq!(formula.text(), "e + exp + exp(0) + größe_1.a");
    assert_eq!(formula.variables(), 3);
    // Missing values give NaN.
    assert!(formula.evaluate(&[1.0f64]).is_nan());
}

#[test]
fn unused_variables_can_be_left_out() {
    let formula = Expression::parse("d - b*d", &["a", "b", "c", "d"]).unwrap();
    let (used, compact) = formula.compact();
    assert_eq!((used, compact.variables()), (vec![1, 3], 2));
    assert_eq!(compact.evaluate(&[2.0, 5.0]), formula.evaluate(&[0.0, 2.0, 0.0, 5.0]));
}

/// Each derivative compared with central differences of the previous one, which is exact.
#[test]
fn derivatives_agree_with_differences() {
    let formulas = "x^3 - 2*x^2 + 5; x^-2; x^-7 + x^9; x^2.5; x^-0.3; x^(1/3); x^x; 2^x; exp(-x^2/2); log(x); log1p(x);
        expm1(x); log2(x); log10(x); sqrt(x); cbrt(x); abs(x); abs(-x)^3; sin(x); cos(3*x); tan(x); asin(x); acos(x); atan(x);
        sinh(x); cosh(x); tanh(x); tanh(-2*x); sign(x)*x^2; 1/x; x/(1 + x^2); min(x, x^2); max(x, x^2, -x); pow(x, 1 + x);
        -(x - 0.3)^2/(2*0.7^2) - log(0.7); (1 + x/1000)^2000.5; (1 + x/1000)^-2000";
    for text in formulas.split(';').map(str::trim) {
        let formula = parse(text);
        let at = |x: f64| third_derivative(|x| formula.evaluate(&[x, 1.0.into()]), x);
        for x in [0.31, 0.77] {
            let (value, first, second, third) = at(x);
            assert!((value - formula.evaluate(&[x, 1.0])).abs() <= 1e-14 * value.abs(), "{text}");
            let step = 1e-5;
            let (above, below) = (at(x + step), at(x - step));
            let check = |exact: f64, high: f64, low: f64, order: usize| {
                let difference = (high - low) / (2.0 * step);
                assert!(
                    (exact - difference).abs() <= 2e-7 * exact.abs().max(value.abs()).max(1.0),
                    "derivative {order} of {text} at {x} is {exact}, by differences {difference}"
                );
            };
            check(first, above.0, below.0, 1);
            check(second, above.1, below.1, 2);
            check(third, above.2, below.2, 3);
        }
    }
}

#[test]
fn mixed_derivatives_have_their_closed_forms() {
    // d^3/dx dx dy of x^2 y^3 exp(x y), with u = x y: differentiate by hand.
    let formula = parse("x^2 * y^3 * exp(x*y)");
    let (x, y) = (0.4, 1.3);
    let third = |i: usize, j: usize, k: usize| {
        let seed = |variable: usize, value: f64| {
            let mut number = HyperHyperDual64::from_re(value);
            number.eps1 = f64::from(u8::from(i == variable));
            number.eps2 = f64::from(u8::from(j == variable));
            number.eps3 = f64::from(u8::from(k == variable));
            number
        };
        formula.evaluate(&[seed(0, x), seed(1, y)]).eps1eps2eps3
    };
    let u = x * y;
    // f_xx = (2 y^3 + 4 x y^4 + x^2 y^5) e^u, and its derivative in y.
    let by_hand = (6.0 * y * y + 16.0 * x * y.powi(3) + 5.0 * x * x * y.powi(4)) * u.exp()
        + x * (2.0 * y.powi(3) + 4.0 * x * y.powi(4) + x * x * y.powi(5)) * u.exp();
    for (i, j, k) in [(0, 0, 1), (0, 1, 0), (1, 0, 0)] {
        assert!((third(i, j, k) - by_hand).abs() < 1e-12 * by_hand);
    }
    let three = Expression::parse("a*b^2*c^3", &["a", "b", "c"]).unwrap();
    let parts = third_partial_derivative(|(a, b, c)| three.evaluate(&[a, b, c]), (2.0, 3.0, 5.0));
    assert_eq!(parts.0, 2.0 * 9.0 * 125.0);
    assert_eq!(parts.7, 2.0 * 3.0 * 3.0 * 25.0);
}

/// Integer powers are smooth at zero, and other powers up to the order to which they are.
#[test]
fn powers_at_zero_have_finite_derivatives() {
    let parts = |text: &str| {
        let zero = HyperHyperDual64::from_re(0.0).derivative1().derivative2().derivative3();
        let value = parse(text).evaluate(&[zero, HyperHyperDual64::from(2.0)]);
        [value.re, value.eps1, value.eps1eps2, value.eps1eps2eps3]
    };
    assert_eq!(parts("x^0"), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(parts("x^1"), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(parts("x^2"), [0.0, 0.0, 2.0, 0.0]);
    assert_eq!(parts("x^3"), [0.0, 0.0, 0.0, 6.0]);
    assert_eq!(parts("x^4"), [0.0; 4]);
    assert_eq!(parts("x^3.5"), [0.0; 4]);
    assert_eq!(parts("(x - 1)^3"), [-1.0, 3.0, -6.0, 6.0]);
    assert_eq!(parts("x^3000"), [0.0; 4]);
    assert_eq!(parts("tanh(x)"), [0.0, 1.0, 0.0, -2.0]);
    // A root has a value there, but no derivative.
    let root = parse("(x^2)^(1/3)").evaluate(&[Dual64::from_re(0.0).derivative(), 0.0.into()]);
    assert_eq!(root.re, 0.0);
    assert!(!root.eps.is_finite());
    let smooth = parse("x^1.5").evaluate(&[Dual64::from_re(0.0).derivative(), 0.0.into()]);
    assert_eq!((smooth.re, smooth.eps), (0.0, 0.0));
    assert_eq!(parse("x^-0.5").evaluate(&[0.0, 0.0]), f64::INFINITY);
    // Negative bases are allowed with integer powers of any size.
    let cube =
        parse("x^3 + x^-3").evaluate(&[HyperDual64::from_re(-2.0).derivative1().derivative2(), 0.0.into()]);
    assert_eq!((cube.re, cube.eps1, cube.eps1eps2), (-8.125, 12.0 - 3.0 / 16.0, -12.0 - 12.0 / 32.0));
    let large = parse("x^2001").evaluate(&[Dual64::from_re(-1.0).derivative(), 0.0.into()]);
    assert_eq!((large.re, large.eps), (-1.0, 2001.0));
}

#[test]
fn kinks_take_the_derivative_of_their_branch() {
    let slope = |text: &str, x: f64| parse(text).evaluate(&[Dual64::from_re(x).derivative(), 1.0.into()]).eps;
    assert_eq!(slope("abs(x)", -2.0), -1.0);
    assert_eq!(slope("abs(x)", 0.0), 1.0);
    assert_eq!(slope("max(x^2, y)", 3.0), 6.0);
    assert_eq!(slope("max(x^2, y)", 0.5), 0.0);
    assert_eq!(slope("min(x^2, y)", 0.5), 1.0);
    assert_eq!(slope("sign(x)", 0.5), 0.0);
    assert!(parse("max(x, 0/0)").evaluate(&[1.0f64, 0.0]).is_nan());
    assert!(parse("min(0/0, x)").evaluate(&[1.0f64, 0.0]).is_nan());
}

/// The reason, the formula, and a caret under the position.
#[test]
fn mistakes_are_explained_with_a_caret() {
    let table = [
        ("", "empty", 0),
        ("   ", "empty", 0),
        ("x + m", "unknown name \"m\"; did you mean \"mu\"?", 4),
        ("größe + 1", "unknown name \"größe\"; the names are x, mu, annual income", 0),
        ("x + `anual income`", "did you mean \"annual income\"?", 4),
        ("x + `annual", "backtick is never closed", 4),
        ("x $ 2", "unexpected \"$\"", 2),
        ("x < 2", "bring everything to one side", 2),
        ("x − 2", "write - to subtract", 2),
        ("(x + 1", "this parenthesis is never closed", 0),
        ("2*exp(x + (1)", "this parenthesis is never closed", 5),
        ("x +", "ends where", 3),
        ("x + 1)", "unexpected \")\"; no parenthesis is open here", 5),
        ("x, 1", "unexpected \",\"; commas stand between the arguments", 1),
        ("(x, 1)", "unexpected \",\"", 2),
        ("x + * 2", "unexpected \"*\"", 4),
        ("()", "unexpected \")\"", 1),
        ("2x", "write 2*x to multiply", 1),
        ("2(x + 1)", "write 2*( to multiply", 1),
        ("x(2)", "write x*( to multiply", 1),
        ("x mu", "write x*mu to multiply", 2),
        ("2e", "write 2*e to multiply", 1),
        ("exp x", "the function exp needs its argument in parentheses", 0),
        ("1 + exp()", "exp takes one argument, not 0", 4),
        ("exp(x, 2)", "exp takes one argument, not 2", 0),
        ("pow(x)", "pow takes two arguments, not 1", 0),
        ("max(x)", "max takes two or more arguments, not 1", 0),
        ("max(x,)", "unexpected \")\"", 6),
        ("1 + sqr(x)", "unknown function \"sqr\"; did you mean \"sqrt\"?", 4),
        ("ln(x)", "the natural logarithm is log", 0),
        ("1.2.3 + x", "\"1.2.3\" is not a number", 0),
        ("x + 1e+", "\"1e+\" is not a number", 4),
        ("1e999", "\"1e999\" is not a number", 0),
        ("ä + ö + ü*é", "unknown name \"ä\"", 0),
    ];
    for (text, reason, position) in table {
        let message = message(text);
        let lines: Vec<&str> = message.lines().collect();
        assert!(lines[0].contains(reason), "{text}: {message}");
        assert_eq!(lines[1], format!("  {text}"), "{message}");
        assert_eq!(lines[2], format!("  {}^", " ".repeat(position)), "{message}");
        assert_eq!(lines.len(), 3);
    }
    assert_eq!(message("2*exp(x"), "this parenthesis is never closed; add a )\n  2*exp(x\n       ^");
    let escaped = message("x +\n`a\u{1b}[31m`");
    assert!(!escaped.contains('\u{1b}'), "{escaped}");
}

#[test]
fn depth_and_length_are_limited() {
    let nested = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Expression::parse(&nested(NESTING_LIMIT - 1), &NAMES).is_ok());
    for deep in [nested(NESTING_LIMIT), "-".repeat(5000) + "x", "x^".repeat(4000) + "x", "exp(".repeat(2000)]
    {
        let error = Expression::parse(&deep, &NAMES).unwrap_err();
        assert_eq!(error.fault(), &Fault::TooDeep);
    }
    let long = "x+".repeat(TEXT_LIMIT);
    let error = Expression::parse(&long, &NAMES).unwrap_err();
    assert_eq!(error.fault(), &Fault::TooLong);
    assert_eq!(error.text().chars().count(), TEXT_LIMIT);
    // Long is not deep: a sum of thousands of terms is allowed, as is a formula that holds many values.
    let sum = "x+".repeat(TEXT_LIMIT / 2 - 1) + "x";
    assert_eq!(parse(&sum).evaluate(&[1.0, 0.0]), (TEXT_LIMIT / 2) as f64);
    let right = "x+(".repeat(60) + "x" + &")".repeat(60);
    assert_eq!(parse(&right).evaluate(&[1.0, 0.0]), 61.0);
    let most = "max(x,".repeat(2000) + "x" + &")".repeat(2000);
    assert!(Expression::parse(&most, &NAMES).is_err());
}

/// A formula as a tree, written with all its parentheses or with only the necessary ones.
#[derive(Debug, Clone)]
enum Tree {
    Number(f64),
    Variable(usize),
    Negative(Box<Tree>),
    Call(usize, Box<Tree>),
    Pair(char, Box<Tree>, Box<Tree>),
}

type Named = (&'static str, fn(f64) -> f64);

const CALLS: [Named; 5] =
    [("sin", f64::sin), ("atan", f64::atan), ("abs", f64::abs), ("exp", f64::exp), ("cbrt", f64::cbrt)];

impl Tree {
    fn value(&self, values: &[f64]) -> f64 {
        match self {
            Tree::Number(value) => *value,
            Tree::Variable(v) => values[*v],
            Tree::Negative(a) => -a.value(values),
            Tree::Call(f, a) => CALLS[*f].1(a.value(values)),
            Tree::Pair(operator, a, b) => {
                let (a, b) = (a.value(values), b.value(values));
                match operator {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => a.powf(b),
                }
            }
        }
    }

    /// The precedence of the outermost operation.
    fn rank(&self) -> u8 {
        match self {
            Tree::Pair('+' | '-', ..) => 1,
            Tree::Pair('*' | '/', ..) => 2,
            Tree::Negative(_) => 3,
            Tree::Pair(..) => 4,
            _ => 5,
        }
    }

    fn print(&self, least: u8) -> String {
        let text = match self {
            Tree::Number(value) => format!("{value:e}"),
            Tree::Variable(v) => NAMES[*v].to_string(),
            Tree::Negative(a) => format!("-{}", a.print(3)),
            Tree::Call(f, a) => format!("{}({})", CALLS[*f].0, a.print(0)),
            Tree::Pair('^', a, b) => format!("{}^{}", a.print(5), b.print(3)),
            Tree::Pair(operator, a, b) => {
                format!("{} {operator} {}", a.print(self.rank()), b.print(self.rank() + 1))
            }
        };
        if self.rank() < least { format!("({text})") } else { text }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![(0.0..10.0f64).prop_map(Tree::Number), (0usize..2).prop_map(Tree::Variable)];
    leaf.prop_recursive(6, 40, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Tree::Negative(a.into())),
            (0..CALLS.len(), inner.clone()).prop_map(|(f, a)| Tree::Call(f, a.into())),
            (prop::sample::select(vec!['+', '-', '*', '/', '^']), inner.clone(), inner)
                .prop_map(|(operator, a, b)| Tree::Pair(operator, a.into(), b.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any text is either parsed or rejected, and the message can be shown.
    #[test]
    fn any_text_is_read_or_refused(text in "(.{0,40}|[xy0-9.e+*/^(), `a-z-]{0,40})") {
        match Expression::parse(&text, &NAMES) {
            Ok(formula) => {
                let third = formula.evaluate(&[HyperHyperDual64::from(0.5).derivative1(), 0.0.into()]);
                let value = formula.evaluate(&[0.5, 0.0]);
                prop_assert!(third.re == value || !value.is_finite() || (third.re - value).abs() < 1e-9 * value.abs()
                    || text.contains('^') || text.contains("**") || text.contains("pow"));
            }
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 3),
        }
    }

    /// A tree keeps its meaning when it is printed and parsed.
    #[test]
    fn printed_trees_are_read_back(tree in tree(), x in -3.0..3.0f64, y in 0.1..4.0f64) {
        let expected = tree.value(&[x, y]);
        let found = parse(&tree.print(0)).evaluate(&[x, y]);
        let same = found == expected || (found.is_nan() && expected.is_nan());
        // Powers are computed by multiplication instead of logarithms.
        let near = (found - expected).abs() <= 1e-9 * expected.abs();
        prop_assert!(same || near, "{} is {}, not {}", tree.print(0), found, expected);
    }
}

#[test]
fn a_negative_zero_has_the_powers_of_zero() {
    for exponent in ["-1.62", "-0.5", "-2"] {
        let found = parse(&format!("(-(x - x))^{exponent}")).evaluate(&[1.0, 0.0]);
        assert_eq!(found, f64::INFINITY, "{exponent}");
    }
}

/// A column may be called x1, as its coordinate is anyway.
#[test]
fn names_are_listed_once() {
    let error = Expression::parse("zzz", &["x1", "x2", "x1", "x2", "m"]).unwrap_err().to_string();
    assert!(error.contains("the names are x1, x2, m"), "{error}");
}
