"""Messages for input that cannot be used: what, where, remedy, in the engine's words where it has some."""

from __future__ import annotations

__all__ = [
    "cannot_read",
    "missing_value",
    "no_coordinates",
    "no_points",
    "not_a_number",
    "quoted",
    "wrong_count",
]

LONGEST = 60


def quoted(value: object) -> str:
    """A value as messages echo it: escaped, cut, and in quotes where it is text.

    Examples
    --------
    >>> quoted("a\\tb")
    '"a\\\\tb"'
    >>> quoted(1.5)
    '1.5'
    """
    if not isinstance(value, str):
        try:
            return _cut(str(value))
        except Exception:  # a foreign object may fail in any way when asked to describe itself
            return f"a {type(value).__name__}"
    return f'"{_cut(value)}"'


def _cut(text: str) -> str:
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return escaped if len(escaped) <= LONGEST else escaped[: LONGEST - 3] + "..."


def no_points(what: str) -> ValueError:
    """No rows at all."""
    return ValueError(f"{what}: there are no points; give at least one row")


def no_coordinates(what: str) -> ValueError:
    """Rows without values."""
    return ValueError(f"{what}: points need at least one coordinate")


def missing_value(what: str, row: int, column: int | None) -> ValueError:
    """A value that does not exist, at a place counted from 0."""
    place = f"row {row}" if column is None else f"row {row}, column {column}"
    return ValueError(f"{what}: {place} is missing, not a finite number; remove or repair that row")


def not_a_number(what: str, row: int, column: int | None, value: object) -> TypeError:
    """A value of another kind, at a place counted from 0."""
    place = f"row {row}" if column is None else f"row {row}, column {column}"
    return TypeError(f"{what}: {place} is {quoted(value)}, not a number; correct it, or choose other columns")


def wrong_count(what: str, found: int, expected: int) -> ValueError:
    """Another number of values than there are columns or rows."""
    return ValueError(f"{found} {what} were given for {expected}; give one for each")


def cannot_read(what: str, value: object, remedy: str) -> TypeError:
    """Something that holds no data, or none that can be found."""
    return TypeError(f"{what} is a {type(value).__name__}; {remedy}")
