use num_dual::DualNum;

/// A number with or without derivatives: `f64` and the dual numbers over it.
pub(super) trait Number: DualNum<Primitive = f64> + Copy {}
impl<D: DualNum<Primitive = f64> + Copy> Number for D {}

/// An operation on one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unary {
    Negate,
    PowerInteger(i32),
    PowerReal(f64),
    Exp,
    Log,
    Log1p,
    Expm1,
    Log2,
    Log10,
    Sqrt,
    Cbrt,
    Abs,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Sign,
}

/// An operation on two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
}

/// How the arguments of a function are combined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Call {
    /// One argument.
    One(Unary),
    /// Exactly two.
    Two(Binary),
    /// Two or more, combined from the left.
    Many(Binary),
}

/// The functions and their names.
pub(super) const FUNCTIONS: [(&str, Call); 22] = [
    ("exp", Call::One(Unary::Exp)),
    ("log", Call::One(Unary::Log)),
    ("log1p", Call::One(Unary::Log1p)),
    ("expm1", Call::One(Unary::Expm1)),
    ("log2", Call::One(Unary::Log2)),
    ("log10", Call::One(Unary::Log10)),
    ("sqrt", Call::One(Unary::Sqrt)),
    ("cbrt", Call::One(Unary::Cbrt)),
    ("abs", Call::One(Unary::Abs)),
    ("sin", Call::One(Unary::Sin)),
    ("cos", Call::One(Unary::Cos)),
    ("tan", Call::One(Unary::Tan)),
    ("asin", Call::One(Unary::Asin)),
    ("acos", Call::One(Unary::Acos)),
    ("atan", Call::One(Unary::Atan)),
    ("sinh", Call::One(Unary::Sinh)),
    ("cosh", Call::One(Unary::Cosh)),
    ("tanh", Call::One(Unary::Tanh)),
    ("sign", Call::One(Unary::Sign)),
    ("pow", Call::Two(Binary::Power)),
    ("min", Call::Many(Binary::Min)),
    ("max", Call::Many(Binary::Max)),
];

impl Unary {
    /// Raising to a constant power.
    pub(super) fn power(exponent: f64) -> Unary {
        // Beyond this exponent the derivatives at zero vanish either way, and multiplying takes longer than
        // the logarithm.
        if exponent.fract() == 0.0 && exponent.abs() <= 1024.0 {
            Unary::PowerInteger(exponent as i32)
        } else {
            Unary::PowerReal(exponent)
        }
    }

    #[inline]
    pub(super) fn apply<D: Number>(self, x: D) -> D {
        match self {
            Unary::Negate => -x,
            Unary::PowerInteger(exponent) => integer_power(x, exponent),
            Unary::PowerReal(exponent) => real_power(x, exponent),
            Unary::Exp => x.exp(),
            Unary::Log => x.ln(),
            Unary::Log1p => x.ln_1p(),
            Unary::Expm1 => x.exp_m1(),
            Unary::Log2 => x.log2(),
            Unary::Log10 => x.log10(),
            Unary::Sqrt => x.sqrt(),
            Unary::Cbrt => x.cbrt(),
            Unary::Abs if x.re().is_sign_negative() => -x,
            Unary::Abs => x,
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Tan => x.tan(),
            Unary::Asin => x.asin(),
            Unary::Acos => x.acos(),
            Unary::Atan => x.atan(),
            Unary::Sinh => x.sinh(),
            Unary::Cosh => x.cosh(),
            Unary::Tanh => tanh(x),
            Unary::Sign => D::from(match x.re() {
                value if value > 0.0 => 1.0,
                value if value < 0.0 => -1.0,
                zero_or_nan => zero_or_nan,
            }),
        }
    }
}

impl Binary {
    #[inline]
    pub(super) fn apply<D: Number>(self, a: D, b: D) -> D {
        match self {
            Binary::Add => a + b,
            Binary::Subtract => a - b,
            Binary::Multiply => a * b,
            Binary::Divide => a / b,
            Binary::Power => a.powd(b),
            // NaN on either side gives NaN.
            Binary::Min if a.re() <= b.re() || a.re().is_nan() => a,
            Binary::Max if a.re() >= b.re() || a.re().is_nan() => a,
            Binary::Min | Binary::Max => b,
        }
    }
}

/// `x^n` by squaring, whose derivatives are finite wherever those of the power are.
#[inline]
fn integer_power<D: Number>(x: D, exponent: i32) -> D {
    let mut square = if exponent < 0 { x.recip() } else { x };
    let mut left = exponent.unsigned_abs();
    let mut product: Option<D> = None;
    while left > 0 {
        if left & 1 == 1 {
            product = Some(product.map_or(square, |p| p * square));
        }
        left >>= 1;
        if left > 0 {
            square = square * square;
        }
    }
    product.unwrap_or_else(|| D::from(1.0))
}

/// `x^n` by its Taylor series about the real part, which ends at the order of the derivatives.
fn real_power<D: Number>(x: D, exponent: f64) -> D {
    let real = x.re();
    let value = real.powf(exponent);
    if real == 0.0 {
        return match exponent {
            vanishing if vanishing > D::NDERIV as f64 => D::from(0.0),
            // A derivative is infinite: the root has the right value, and its derivatives are NaN.
            positive if positive > 0.0 => x.sqrt(),
            // Of a negative zero, too, which has the power of a positive one.
            _ => Unary::Abs.apply(x).recip(),
        };
    }
    // The difference has no real part, so its powers beyond the number of derivatives vanish.
    let difference = x - real;
    let mut term = D::from(1.0);
    let mut coefficient = value;
    let mut sum = D::from(value);
    for k in 1..=D::NDERIV {
        coefficient *= (exponent - (k - 1) as f64) / k as f64 / real;
        term *= difference;
        sum += term * coefficient;
    }
    sum
}

/// The hyperbolic tangent without the overflow of `sinh / cosh`.
fn tanh<D: Number>(x: D) -> D {
    let positive = Unary::Abs.apply(x);
    let decay = (positive * -2.0).exp_m1();
    let tangent = -decay / (decay + 2.0);
    if x.re().is_sign_negative() { -tangent } else { tangent }
}
