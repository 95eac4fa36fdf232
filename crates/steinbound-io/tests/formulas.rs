//! The grammar of formulas, and what is said about formulas that cannot be used.

use steinbound_io::{Design, Formula, Frame, FrameOptions, IoError};

const TABLE: &str =
    "id,y,x1,x2,prog,one,my col,x2\na,1,1,3,g,k,1,0\nb,2,2,1,h,k,4,0\nc,3,0,2,g,k,9,1\nd,4,-1,5,h,k,16,1\n";

fn design(formula: &str) -> Result<Design, IoError> {
    let frame = Frame::parse("f.csv", TABLE.as_bytes(), &FrameOptions::default()).unwrap();
    Formula::parse(formula)?.design(&frame)
}

fn names(formula: &str) -> String {
    design(formula).unwrap().names.join(" ")
}

/// The message must begin so, and its caret stand there.
fn refused(formula: &str, reason: &str, column: usize) {
    let message = design(formula).unwrap_err().to_string();
    let expected = format!("the formula cannot be used: {reason}");
    assert!(message.starts_with(&expected), "{formula}: {message}");
    let (_, excerpt) = message.split_once('\n').unwrap();
    assert_eq!(excerpt, format!("  {formula}\n  {}^", " ".repeat(column)), "{message}");
}

#[test]
fn terms_are_added_and_taken_away() {
    assert_eq!(names("y ~ x1"), "(Intercept) x1");
    assert_eq!(names(" y~x1+prog "), "(Intercept) x1 prog[h]");
    assert_eq!(names("y ~ x1 + prog - x1"), "(Intercept) prog[h]");
    assert_eq!(names("y ~ x1 + x1 + x1:x1 + 1"), "(Intercept) x1");
    assert_eq!(names("y ~ . - id - one - `4` - `8`"), "(Intercept) x1 prog[h] my col");
    assert_eq!(names("y ~ . - id - one"), "(Intercept) x1 x2 prog[h] my col x2");
    assert_eq!(names("y ~ prog:x1 + x1:prog"), "(Intercept) prog[g]:x1 prog[h]:x1");
    assert_eq!(names("y ~ x1*prog - x1:prog"), "(Intercept) x1 prog[h]");
    assert_eq!(names("y ~ x1*prog - prog*x1 + x1"), "(Intercept) x1");
    assert_eq!(names("y ~ x1 - y"), "(Intercept) x1");
}

#[test]
fn the_intercept_comes_and_goes() {
    assert_eq!(names("y ~ 1"), "(Intercept)");
    for formula in ["y ~ 0 + x1", "y ~ x1 - 1", "y ~ -1 + x1", "y ~ x1 + -1", "y ~ x1 + 0", "y ~ + x1 - 1"] {
        assert_eq!(names(formula), "x1", "{formula}");
    }
    assert_eq!(names("y ~ 0 + x1 + 1"), "(Intercept) x1");
    assert_eq!(names("y ~ x1 - 0"), "(Intercept) x1");
}

#[test]
fn columns_go_by_name_or_number() {
    assert_eq!(names("`y` ~ `my col` + `4`"), "(Intercept) my col x2");
    assert_eq!(names("y ~ log(`my col`):C(prog)"), "(Intercept) log(my col):prog[g] log(my col):prog[h]");
    assert_eq!(design("`2` ~ x1").unwrap().response_name, "y");
    let bare = Frame::parse("f.csv", b"1,2\n3,4\n", &FrameOptions::default()).unwrap();
    let design = Formula::parse("x1 ~ x2").unwrap().design(&bare).unwrap();
    assert_eq!((design.response, design.matrix.column(1)), (vec![1.0, 3.0], &[2.0, 4.0][..]));
}

#[test]
fn functions_and_bases_are_read() {
    let columns = names(
        "y ~ log(`my col`) + log10(`my col`) + exp(x1) + sqrt(`my col`) + I(x1^2) + I( `my col` ^ -1 )",
    );
    let expected = "(Intercept) log(my col) log10(my col) exp(x1) sqrt(my col) I(x1^2) I(my col^-1)";
    assert_eq!(columns, expected);
    for formula in
        ["C(prog, base=h)", "factor(prog,base = \"h\")", "C( `prog` , base='h' )", "C(prog, base= h )"]
    {
        assert_eq!(names(&format!("y ~ {formula}")), "(Intercept) prog[g]", "{formula}");
    }
    assert_eq!(names("y ~ prog + C(prog, base=h):x1"), "(Intercept) prog[g] prog[h]:x1 prog[g]:x1");
    assert_eq!(names("y ~ C(`8`) + `8`"), "(Intercept) x2[1] x2");
}

#[test]
fn syntax_is_refused_where_it_is_wrong() {
    refused("", "it is empty; write the formula as y ~ x1 + x2", 0);
    refused("y x1", "there is no ~ between response and terms", 4);
    refused("~ x1", "there is nothing before ~", 0);
    refused("y ~ ", "there is nothing after ~", 4);
    refused("3 ~ x1", "the response is the name of a column", 0);
    refused("log(y) ~ x1", "the response cannot be a function; put the transformed values into a column", 0);
    refused("y + x1 ~ x2", "~ is expected here, after the one column", 2);
    refused("y ~ x1 ~ x2", "a formula has one ~", 7);
    refused("y ~ x1 +", "a term is expected here", 8);
    refused("y ~ x1 + + x2", "a term is expected here", 9);
    refused("y ~ x1:", "a term is expected here", 7);
    refused("y ~ (x1 + x2)", "terms are not put in brackets", 4);
    refused("y ~ x1)", "this bracket closes nothing", 6);
    refused("y ~ x1^2", "a power is written in I( ), such as I(x^2)", 6);
    refused("y ~ x1 prog", "p is not understood here; join terms by +", 7);
    refused("y ~ x1 / prog", "/ is not understood here", 7);
    refused("y ~ #", "# is not understood here", 4);
    refused("y ~ 2", "2 is not a term; only 0 and 1 are", 4);
    refused("y ~ x1 + .5", ".5 is not a term", 9);
    refused("y ~ 1:x1", "1 stands by itself", 4);
    refused("y ~ 0*x1", "0 stands by itself", 4);
    refused("y ~ .:x1", ". stands by itself", 4);
    refused("y ~ x1:.", "an interaction is between columns; name them", 7);
    refused("y ~ x1:1", "an interaction is between columns", 7);
    refused("y ~ `x1", "the name that begins here has no end; close it with `", 4);
    refused("y ~ ``", "the name is empty", 4);
}

#[test]
fn calls_are_refused_where_they_are_wrong() {
    refused("y ~ lg(x1)", "unknown function \"lg\"; did you mean \"log\"?", 4);
    refused("y ~ log(x1", ") is expected here; write it as log(column)", 10);
    refused("y ~ log()", "the name of a column is expected here; write it as log(column)", 8);
    refused("y ~ log(x1 + 1)", ") is expected here", 11);
    refused("y ~ I(x1)", "^ is expected here; write it as I(column^2)", 8);
    refused("y ~ I(x1^0.5)", "the exponent is a whole number from 1 to 100", 9);
    refused("y ~ I(x1^0)", "the exponent is a whole number", 9);
    refused("y ~ C(prog, ref=g)", "only base= may follow the column; write it as C(column, base=level)", 12);
    refused("y ~ C(prog, base g)", "= is expected here", 17);
    refused("y ~ C(prog, base=)", "a level is expected here", 17);
    refused("y ~ C(prog, base=\"g)", "the level that begins here has no end; close it with \"", 17);
}

#[test]
fn formulas_that_do_not_fit_the_table_are_refused() {
    refused("z ~ x1", "f.csv has no column \"z\"; its columns are id, y, x1", 0);
    refused("y ~ x1 + prg", "f.csv has no column \"prg\"", 9);
    assert!(design("y ~ prg").unwrap_err().to_string().contains("did you mean \"prog\"?"));
    refused("y ~ x2", "f.csv has more than one column \"x2\"; choose it by its number", 4);
    refused("prog ~ x1", "the response prog is text; it must be a column of numbers", 0);
    refused("y ~ x1 + log(y)", "the response y is also a term; leave it out there", 13);
    refused("y ~ x1 + one", "one has only the level \"k\", which explains nothing; leave it out", 9);
    refused("y ~ id", "id has another level in each of the 4 rows, like an identifier; leave it out", 4);
    refused("y ~ x1 - x1 - 1", "neither a term nor the intercept is left", 3);
    refused("y ~ 0", "neither a term nor the intercept is left", 3);
    let reason = "prog has no level \"i\"; its levels are g, h; did you mean \"g\"?";
    refused("y ~ C(prog, base=i)", reason, 17);
    let reason = "prog has the base g before and h here; choose one";
    refused("y ~ C(prog, base=g) + C(prog, base=h)", reason, 24);
    let message = |formula: &str| design(formula).unwrap_err().to_string();
    assert!(
        message("y ~ log(x1)").starts_with("f.csv, line 4: the term log(x1) is -inf, not a finite number")
    );
    assert!(message("y ~ sqrt(x1)").starts_with("f.csv, line 5: the term sqrt(x1) is NaN"));
    assert!(message("y ~ log(prog)").contains("line 2, column 5 (\"prog\"): \"g\" is not a number"));
}

#[test]
fn too_many_columns_are_refused() {
    let letters: Vec<String> = (0..12).map(|i| format!("x{i}")).collect();
    let message = Formula::parse(&format!("y ~ {}", letters.join("*"))).unwrap_err().to_string();
    assert!(message.contains("more than 1000 terms; use fewer"), "{message}");
    let message = Formula::parse(&format!("y ~ a{}", ":a".repeat(50))).unwrap_err().to_string();
    assert!(message.contains("more than 20 columns"), "{message}");
    let mut table = String::from("y,a,b\n");
    (0..200).for_each(|i| table.push_str(&format!("{i},a{},b{}\n", i % 40, i % 50)));
    let frame = Frame::parse("f.csv", table.as_bytes(), &FrameOptions::default()).unwrap();
    let message = Formula::parse("y ~ a:b").unwrap().design(&frame).unwrap_err().to_string();
    assert!(message.contains("the terms make more than 1000 columns"), "{message}");
    assert_eq!(Formula::parse("y ~ a + b").unwrap().design(&frame).unwrap().names.len(), 89);
    let wide: Vec<String> = (0..1200).map(|j| format!("c{j}")).collect();
    let table = format!("{}\n{}\n", wide.join(","), vec!["1"; 1200].join(","));
    let frame = Frame::parse("f.csv", table.as_bytes(), &FrameOptions::default()).unwrap();
    assert!(Formula::parse("c0 ~ .").unwrap().design(&frame).is_err());
}

#[test]
fn long_and_hostile_formulas_are_shown_safely() {
    let message = design(&format!("y ~ {}\u{1b}[31m", "x1 + ".repeat(100))).unwrap_err().to_string();
    assert!(
        !message.contains('\u{1b}') && message.lines().all(|line| line.chars().count() < 140),
        "{message}"
    );
}

proptest::proptest! {
    /// Whatever is typed is read or refused.
    #[test]
    fn any_text_is_read_or_refused(text in "([yabx~+:*.(),=^0-9` \"'-]|log|C[(]|I[(]|base=|\\PC){0,40}") {
        let _ = Formula::parse(&text);
    }

    /// Formulas over tables with gaps and text give finite, named columns for the rows they keep, or an
    /// error.
    #[test]
    fn random_designs_are_finite_or_refused(
        terms in "[abcx]([+:*-][abcx.01]|[+:*]C[(][abc][)]|[+:*]log[(][xc][)]|[+:]I[(]x\\^[1-3][)]|[+]C[(]a, base=[uvw][)]){0,4}",
        rows in proptest::collection::vec(("[0-9]", "[uv]", "[uvw]", "[0-2]", "[1-9]"), 3..20),
        oddity in "NA||oak|1e200|-1|3",
        place in 0..100usize,
        drop_missing in proptest::prelude::any::<bool>(),
    ) {
        let mut table = String::from("y,a,b,c,x\n");
        for (i, (y, a, b, c, x)) in rows.into_iter().enumerate() {
            let mut cells = [y, a, b, c, x];
            if place / 5 == i {
                cells[place % 5] = oddity.clone();
            }
            table.push_str(&format!("{}\n", cells.join(",")));
        }
        let frame = Frame::parse("f", table.as_bytes(), &FrameOptions { drop_missing, ..Default::default() }).unwrap();
        for side in ["y ~ ", "y ~ 0 + "] {
            let Ok(formula) = Formula::parse(&format!("{side}{terms}")) else { continue };
            if let Ok(design) = formula.design(&frame) {
                proptest::prop_assert_eq!(design.matrix.columns(), design.names.len());
                proptest::prop_assert_eq!(design.matrix.rows(), design.response.len());
                proptest::prop_assert_eq!(design.rows.len(), design.response.len());
                proptest::prop_assert!(design.matrix.values().iter().all(|value| value.is_finite()));
                let kept = frame.select(&design.rows);
                proptest::prop_assert_eq!(&design.apply(&kept).unwrap(), &design.matrix);
            }
        }
    }
}
