"""Numbers as people read them: the rules of the engine's text summary."""

from __future__ import annotations

import math

__all__ = ["duration", "estimate", "p_value", "percent", "plain", "significant", "statistic"]


def estimate(value: float | None, error: float | None) -> str:
    """A number with as many digits as its standard error makes meaningful, up to two digits of the error.

    Examples
    --------
    >>> estimate(0.512345, 0.0812), estimate(5.123e-9, 2.1e-10), estimate(None, None)
    ('0.512', '5.12e-9', '-')
    """
    if value is None:
        return "-"
    if error is None or not (error > 0 and math.isfinite(error) and math.isfinite(value)):
        return significant(value)
    last = math.floor(math.log10(error)) - 1
    first = math.floor(math.log10(max(abs(value), error)))
    if first < 9 and (last >= -7 or (first >= -1 and last >= -12)):
        return _without_sign_of_zero(f"{value:.{max(-last, 0)}f}")
    first = last - 1 if value == 0 else math.floor(math.log10(abs(value)))
    digits = min(first - last, 15)
    return "0" if digits < 0 else _exponential(value, digits)


def _without_sign_of_zero(text: str) -> str:
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def _exponential(value: float, digits: int) -> str:
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def significant(value: float) -> str:
    """A number with four significant digits.

    Examples
    --------
    >>> significant(1234.56), significant(1.5e-9), significant(0.0)
    ('1235', '1.500e-9', '0')
    """
    if value == 0 or not math.isfinite(value):
        return plain(value)
    magnitude = math.floor(math.log10(abs(value)))
    if -4 <= magnitude < 6:
        return f"{value:.{max(3 - magnitude, 0)}f}"
    return _exponential(value, 3)


def plain(value: float) -> str:
    """A number with the digits it has, without a fraction where that is zero.

    Examples
    --------
    >>> plain(95.0), plain(0.001), plain(float("nan"))
    ('95', '0.001', 'NaN')
    """
    if math.isnan(value):
        return "NaN"
    text = repr(float(value))
    return text.removesuffix(".0")


def statistic(value: float | None) -> str:
    """A test statistic with two decimals, as long as that is short.

    Examples
    --------
    >>> statistic(-1.9783), statistic(123456.7)
    ('-1.98', '123457')
    """
    if value is None:
        return "-"
    return f"{value:.2f}" if abs(value) < 1e4 else significant(value)


def p_value(value: float | None) -> str:
    """A p-value with four decimals; what is smaller than these can show is only said to be so.

    Examples
    --------
    >>> p_value(0.04787), p_value(3e-9)
    ('0.0479', '<0.0001')
    """
    if value is None:
        return "-"
    return "<0.0001" if value < 1e-4 else f"{value:.4f}"


def percent(share: float) -> str:
    """A share in per cent, without digits that rounding adds.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95', '99.9')
    """
    return plain(round(share * 1e6) / 1e4)


def duration(seconds: float) -> str:
    """A time in a unit that suits it.

    Examples
    --------
    >>> duration(0.0021)
    '2.1 ms'
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
