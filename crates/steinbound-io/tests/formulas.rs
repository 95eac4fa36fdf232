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
fn brackets_and_nesting_expand() {
    assert_eq!(names("y ~ (x1 + prog)"), "(Intercept) x1 prog[h]");

    assert_eq!(names("y ~ (x1 + prog + `8`)**3"), names("y ~ x1*prog*`8`"));
    assert_eq!(names("y ~ (x1 + prog + `8`)^2 - x1:prog"), names("y ~ x1 + prog + `8` + x1:`8` + prog:`8`"));
    assert_eq!(names("y ~ prog/x1"), names("y ~ prog + prog:x1"));
    assert_eq!(names("y ~ (x1 + prog)/`8`"), names("y ~ x1 + prog + x1:prog:`8`"));
    assert_eq!(names("y ~ prog/(x1 + `8`)"), names("y ~ prog + prog:x1 + prog:`8`"));
    assert_eq!(names("y ~ (x1 + prog):`8`"), names("y ~ x1:`8` + prog:`8`"));
    assert_eq!(names("y ~ prog*(x1 + `8`)"), names("y ~ prog + x1 + `8` + prog:x1 + prog:`8`"));
    assert_eq!(names("y ~ (x1 + x1)^2"), "(Intercept) x1");
}

#[test]
fn names_of_arithmetic_are_written_in_one_way() {
    assert_eq!(names("y ~ np.log(`my col`+1)"), "(Intercept) log(my col + 1)");
    assert_eq!(names("y ~ I(x1**2) + I( x1 ^ 2 )"), "(Intercept) I(x1^2)");
    assert_eq!(names("y ~ I(-x1*Q('my col')/2-3)"), "(Intercept) I(-x1 * my col/2 - 3)");
    assert_eq!(names("y ~ numpy.sqrt(np.absolute(x1))"), "(Intercept) sqrt(abs(x1))");
    assert_eq!(
        names("y ~ max(x1, `8`) + I(x1 * np.pi) + I(2e-1*x1)"),
        "(Intercept) max(x1, x2) I(x1 * pi) I(2e-1 * x1)"
    );
    assert_eq!(names("y ~ scale( x1 ) + center(log(`my col`))"), "(Intercept) scale(x1) center(log(my col))");
    assert_eq!(names("y ~ poly(x1,2)"), "(Intercept) poly(x1, 2)[1] poly(x1, 2)[2]");
    assert_eq!(
        names("y ~ poly(x1, degree=2, raw=T)"),
        "(Intercept) poly(x1, 2, raw=TRUE)[1] poly(x1, 2, raw=TRUE)[2]"
    );
    assert_eq!(
        names("y ~ bs(x1, knots=c(.5), degree=1, Boundary.knots=c(-1, 5), intercept=TRUE)"),
        "(Intercept) bs(x1, knots=[0.5], degree=1, intercept=TRUE, lower_bound=-1, upper_bound=5)[1] \
         bs(x1, knots=[0.5], degree=1, intercept=TRUE, lower_bound=-1, upper_bound=5)[2] \
         bs(x1, knots=[0.5], degree=1, intercept=TRUE, lower_bound=-1, upper_bound=5)[3]"
    );
    assert_eq!(names("y ~ ns(x1, 2)"), "(Intercept) ns(x1, df=2)[1] ns(x1, df=2)[2]");
    assert_eq!(design("log( y+1 ) ~ x1").unwrap().response_name, "log(y + 1)");
    assert_eq!(design("Q(\"y\") ~ x1").unwrap().response_name, "y");
}

#[test]
fn functions_and_bases_are_read() {
    let columns = names(
        "y ~ log(`my col`) + log10(`my col`) + exp(x1) + sqrt(`my col`) + I(x1^2) + I( `my col` ^ -1 )",
    );
    let expected = "(Intercept) log(my col) log10(my col) exp(x1) sqrt(my col) I(x1^2) I(my col^-1)";
    assert_eq!(columns, expected);
    for formula in [
        "C(prog, base=h)",
        "factor(prog,base = \"h\")",
        "C( `prog` , base='h' )",
        "C(prog, base= h )",
        "C(prog, Treatment(\"h\"))",
        "C(prog, Treatment(reference='h'))",
        "C(prog, contr.treatment(base=h))",
    ] {
        assert_eq!(names(&format!("y ~ {formula}")), "(Intercept) prog[g]", "{formula}");
    }
    assert_eq!(names("y ~ prog + C(prog, base=h):x1"), "(Intercept) prog[g] prog[h]:x1 prog[g]:x1");
    assert_eq!(names("y ~ C(`8`) + `8`"), "(Intercept) x2[1] x2");
    assert_eq!(names("y ~ C(prog, Treatment)"), "(Intercept) prog[h]");
    assert_eq!(names("y ~ C(prog, Sum)"), "(Intercept) prog[S.g]");
}

#[test]
fn syntax_is_refused_where_it_is_wrong() {
    refused("", "it is empty; write the formula as y ~ x1 + x2", 0);
    refused("y x1", "there is no ~ between response and terms", 4);
    refused("~ x1", "there is nothing before ~", 0);
    refused("y ~ ", "there is nothing after ~", 4);
    refused("3 ~ x1", "the name of a column is expected here; write it as y ~ x1 + x2", 0);
    refused("3 + 4 ~ x1", "the name of a column is expected here", 0);
    refused("y + x1 ~ x2", "the response is made of one column; put what is made of several", 4);
    refused("y x1 ~ x2", "an operator is missing before this", 2);
    refused("C(y) ~ x1", "C( ) makes several columns; make it a term by itself", 0);
    refused("log(y) + lag(y) ~ x1", "lag( ) is not known; put its values into a column", 9);
    refused("y ~ x1 ~ x2", "a formula has one ~", 7);
    refused("y ~ x1 +", "a term is expected here", 8);
    refused("y ~ x1 + + x2", "a term is expected here", 9);
    refused("y ~ x1:", "a term is expected here", 7);
    refused("y ~ (x1 + x2", "this bracket is never closed", 4);
    refused("y ~ (x1 - x2)", "terms are taken away outside of brackets", 8);
    refused("y ~ (-x1)^2", "terms are taken away outside of brackets", 5);
    refused("y ~ (1 + x1)^2", "0, 1 and . stand outside of brackets", 5);
    refused("y ~ (.)^2", "0, 1 and . stand outside of brackets", 5);
    refused("y ~ (x1 + prog)^k", "the order of interactions is a whole number", 16);
    refused("y ~ (x1 + prog)^0", "the order of interactions is a whole number", 16);
    refused("y ~ (x1)^2", "a power is written in I( )", 8);
    refused("y ~ x1**2", "a power is written in I( )", 6);
    refused("y ~ .^2", ". stands by itself", 4);
    refused("y ~ x1 | prog", "groups by | are not known; add the group as a term", 7);
    refused("y ~ x1 %in% prog", "%in% is not known; write an interaction, such as a:b", 7);
    refused("y ~ x1 + offset(x1)", "offset( ) is not known; put the response less the offset", 9);
    refused("y ~ Q(x1)", "a name in quotes is expected here; write it as Q(\"name of a column\")", 6);
    refused("y ~ x1)", "this bracket closes nothing", 6);
    refused("y ~ x1^2", "a power is written in I( ), such as I(x^2)", 6);
    refused("y ~ x1 prog", "p is not understood here; join terms by +", 7);
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
    refused("y ~ log(2)", "the name of a column is expected here; write it as log(column)", 8);
    refused("y ~ log(x1, 2)", "log takes one argument, not 2", 4);
    refused("y ~ log(x1 + )", "unexpected \")\"; a number, a name or a parenthesis is expected here", 13);
    refused("y ~ I(x1 > 1)", "> has no meaning in arithmetic; put the result into a column of 0 and 1", 9);
    refused("y ~ I(2 x1)", "an operator is missing before this; write a*b for a product", 8);
    refused(
        "y ~ I(x1 + 'x2')",
        "text has no meaning in arithmetic; write the name of a column in backticks",
        11,
    );
    refused("y ~ I(x1 # 2)", "# is not understood here; arithmetic is made of", 9);
    refused("y ~ I(poly(x1, 2))", "poly( ) makes several columns; make it a term by itself", 6);
    refused("y ~ log(lg(x1))", "unknown function \"lg\"; did you mean \"log\"?", 8);
    refused("y ~ ln(x1)", "unknown function \"ln\"; the natural logarithm is log", 4);
    refused("y ~ cr(x1, df=3)", "cr( ) is not known; natural cubic splines are ns(column, df=5)", 4);
    refused("y ~ poly(x1, 0)", "degree is a whole number from 1 to 25", 13);
    refused("y ~ poly(x1, 2.5)", "degree is a whole number", 13);
    refused("y ~ poly(x1, 2, 3)", "degree is given twice", 16);
    refused("y ~ poly(x1, 2, row=TRUE)", "unknown setting \"row\"; did you mean \"raw\"?", 16);
    refused("y ~ poly(x1, 2, raw=1)", "raw is TRUE or FALSE", 16);
    refused("y ~ poly(x1, degree=x2)", "a value is expected here; write it as poly(column, 2)", 20);
    refused("y ~ bs(x1, df=1000)", "df is a whole number from 1 to 200", 11);
    refused("y ~ bs(x1, df=4, knots=1)", "df and knots say the same; give one of them", 17);
    refused("y ~ bs(x1, knots=TRUE)", "knots is a list of numbers", 11);
    refused("y ~ bs(x1, lower_bound=3, upper_bound=2)", "the upper end of the spline is not above", 26);
    refused("y ~ bs(x1, knots=[1, b])", "a number is expected here; write it as [1, 2]", 21);
    refused("y ~ ns(x1, degree=2)", "unknown setting \"degree\"", 11);
    refused(
        "y ~ C(prog, ref=g)",
        "only base=, Treatment(..) or Sum may follow the column; write it as C(column, base=level)",
        12,
    );
    refused("y ~ C(prog, Treatment(\"g\")", ") is expected here; write it as C(column, base=level)", 26);
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
    let reason = "prog has the coding Sum before and Treatment here; choose one";
    refused("y ~ C(prog, Sum) + C(prog, Treatment)", reason, 21);
    refused("y ~ x1 + I(x1 + y)", "the response y is also a term; leave it out there", 16);
    refused("y ~ x1 + sqrt", "sqrt is a function here and there is no such column; write sqrt(column)", 9);
    refused("y ~ x1 + poly", "poly is a function here and there is no such column; write poly(column, 2)", 9);
    refused("y ~ scale(`8`*0 + 3)", "x2 * 0 + 3 is the same in all rows; leave it out", 4);
    refused(
        "y ~ poly(`8`, 2)",
        "a polynomial of degree 2 needs more than 2 different values of x2, which has 2",
        4,
    );
    refused("y ~ bs(x1, df=2)", "df=2 is less than the 3 columns without knots; give more", 4);
    refused("y ~ bs(x1, knots=7)", "the knot 7 is not between -1 and 2, the ends of x1; leave it out", 4);
    refused(
        "y ~ bs(x1, upper_bound=1)",
        "the data of x1 reach from -1 to 2, beyond the ends of the spline",
        4,
    );
    let message = |formula: &str| design(formula).unwrap_err().to_string();
    assert_eq!(
        message("y ~ log(`8`)"),
        "f.csv, line 2: the term log(x2) is -inf, not a finite number, also in another line; repair or leave out those lines, or change the term"
    );
    assert!(message("y ~ x1 + scale(log(x1))").starts_with("f.csv, line 4: the term log(x1) is -inf"));
    assert!(message("log(`8`) ~ x1").starts_with("f.csv, line 2: the term log(x2) is -inf"));
    assert!(message("x1 ~ poly(log(y - 1), 2)").starts_with("f.csv, line 2: the term log(y - 1) is -inf"));
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
    let message = Formula::parse(&format!("y ~ ({})^9", letters.join("+"))).unwrap_err().to_string();
    assert!(message.contains("more than 1000 terms"), "{message}");
    let many: Vec<String> = (0..30).map(|i| format!("x{i}")).collect();
    let message = Formula::parse(&format!("y ~ {}", many.join("/"))).unwrap_err().to_string();
    assert!(message.contains("more than 20 columns"), "{message}");
    let message =
        Formula::parse(&format!("y ~ {}a{}", "(".repeat(51), ")".repeat(51))).unwrap_err().to_string();
    assert!(message.contains("brackets are nested more than 50 deep"), "{message}");
    let nested = format!("y ~ {}a{}", "scale(".repeat(60), ")".repeat(60));
    assert!(Formula::parse(&nested).unwrap_err().to_string().contains("more than 50 deep"));
    let nested = format!("y ~ I({}a{})", "(".repeat(300), ")".repeat(300));
    assert!(Formula::parse(&nested).unwrap_err().to_string().contains("nested more than 200 deep"));
    let started = std::time::Instant::now();
    for repeated in ["x + ", "(", "I(", "a*", "log(", "(a+b)^9*", "-", "scale(a):", "`", "~"] {
        let formula = format!("y ~ {}", repeated.repeat(100_000 / repeated.len()));
        assert!(Formula::parse(&formula).is_err(), "{repeated}");
        assert!(Formula::parse(&formula[..60_000]).is_err(), "{repeated}");
    }
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
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
    fn any_text_is_read_or_refused(
        text in "([yabx~+:*/.(),=^0-9` \"'-]|log|C[(]|I[(]|base=|poly[(]|bs[(]|scale[(]|df=|knots=|Q[(]|np[.]|\\PC){0,40}"
    ) {
        let _ = Formula::parse(&text);
    }

    /// Formulas over tables with gaps and text give finite, named columns for the rows they keep, or an
    /// error.
    #[test]
    fn random_designs_are_finite_or_refused(
        terms in "[abcx]([+:*-][abcx.01]|[+:*]C[(][abc][)]|[+:*]log[(][xc][)]|[+:]I[(]x\\^[1-3][)]|[+]C[(]a, base=[uvw][)]|[+]C[(]b, Sum[)]|[+:]poly[(][xc], [1-4][)]|[+:]bs[(]x, df=[2-6][)]|[+]ns[(]x[)]|[*/][(]a [+] x[)]|[+][(]a [+] b [+] x[)]\\^2|[+]scale[(]x[)]|[+]I[(]log[(]x[)]/c[)]){0,4}",
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
                proptest::prop_assert!(design.derivative(&kept, "x").is_ok());
            }
        }
    }
}
