"""Results as tables for notebooks and for papers, with the numbers of the text summary."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._numbers import duration, estimate, p_value, percent, plain, significant, statistic

__all__ = ["fit_html", "fit_latex", "html_table", "latex_table"]

# Colours are those of the page, so that the table reads in light and dark notebooks alike.
STYLE = (
    ".steinbound-table{margin:.4em 0;color:inherit;font-size:.93em}"
    ".steinbound-table p{margin:.2em 0}"
    ".steinbound-table .steinbound-title{font-weight:600}"
    ".steinbound-table .steinbound-note{opacity:.75;font-size:.92em}"
    ".steinbound-table .steinbound-warning{border-left:3px solid #d55e00;padding-left:.6em}"
    ".steinbound-table div{overflow-x:auto}"
    ".steinbound-table table{border-collapse:collapse;margin:.4em 0;color:inherit;background:none;"
    "border:0;border-top:1px solid currentColor;border-bottom:1px solid currentColor;"
    "font-variant-numeric:tabular-nums}"
    ".steinbound-table tr{background:none;border:0}"
    ".steinbound-table th,.steinbound-table td{padding:.2em .7em;text-align:right;white-space:nowrap;"
    "border:0;color:inherit;background:none}"
    ".steinbound-table thead th{border-bottom:1px solid currentColor;font-weight:600}"
    ".steinbound-table .steinbound-word{text-align:left;font-weight:400}"
    ".steinbound-table thead .steinbound-word{font-weight:600}"
)

LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # a bracket after the end of a row would be taken for its argument
    "]": "{]}",
}


def html_table(
    rows: Iterable[Sequence[str]],
    header: Sequence[str],
    notes: Iterable[str] = (),
    title: str | None = None,
    warnings: Iterable[str] = (),
) -> str:
    """A table as HTML that needs nothing else: no script, and no style but its own; all text is escaped.

    The first column holds words, the others numbers.

    Parameters
    ----------
    rows, header
        Cells, as text.
    notes
        Lines below the table.
    title
        A line above it.
    warnings
        Lines below it that stand out.

    Examples
    --------
    >>> "<td>340000</td>" in html_table([["Bonn", "340000"]], ["city", "people"])
    True
    """
    parts = [f'<div class="steinbound-table"><style>{STYLE}</style>']
    if title is not None:
        parts.append(f'<p class="steinbound-title">{_escaped(title)}</p>')
    cells = "".join(f'<th scope="col"{_word(i)}>{_escaped(cell)}</th>' for i, cell in enumerate(header))
    parts.append(f"<div><table><thead><tr>{cells}</tr></thead><tbody>")
    for row in rows:
        first = "".join(f'<th scope="row"{_word(0)}>{_escaped(cell)}</th>' for cell in row[:1])
        parts.append(f"<tr>{first}{''.join(f'<td>{_escaped(cell)}</td>' for cell in row[1:])}</tr>")
    parts.append("</tbody></table></div>")
    parts.extend(f'<p class="steinbound-note">{_escaped(note)}</p>' for note in notes)
    parts.extend(f'<p class="steinbound-warning">warning: {_escaped(warning)}</p>' for warning in warnings)
    return "\n".join([*parts, "</div>"])


def _word(column: int) -> str:
    return ' class="steinbound-word"' if column == 0 else ""


def _escaped(text: str) -> str:
    # A notebook would typeset what stands between dollars.
    return html.escape(_tamed(text)).replace("$", "&#36;")


def _tamed(text: str) -> str:
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "replace").decode("ascii") for c in text
    )


def latex_table(
    rows: Iterable[Sequence[str]],
    header: Sequence[str],
    notes: Iterable[str] = (),
    title: str | None = None,
    warnings: Iterable[str] = (),
) -> str:
    """The same as LaTeX, a ``table`` that needs the package booktabs; all text is escaped.

    Examples
    --------
    >>> print(latex_table([["Bonn", "340000"]], ["city", "people"]))
    \\begin{table}
    \\centering
    \\begin{tabular}{lr}
    \\toprule
    city & people \\\\
    \\midrule
    Bonn & 340000 \\\\
    \\bottomrule
    \\end{tabular}
    \\end{table}
    """
    lines = [r"\begin{table}", r"\centering"]
    if title is not None:
        lines.append(rf"\caption{{{_typeset(title)}}}")
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
    lines += [_latex_row(header), r"\midrule", *map(_latex_row, rows), r"\bottomrule", r"\end{tabular}"]
    below = [*notes, *(f"warning: {warning}" for warning in warnings)]
    if below:
        lines.append(r"\par\smallskip\footnotesize")
        lines += [rf"{_typeset(note)}\par" for note in below]
    return "\n".join([*lines, r"\end{table}"])


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _cell(text: str) -> str:
    """A cell; a hyphen before a number is a minus, and one alone a dash."""
    if text == "-":
        return "--"
    is_negative = text[:1] == "-" and text[1:2].isdigit()
    return f"$-${_typeset(text[1:])}" if is_negative else _typeset(text)


def _typeset(text: str) -> str:
    return "".join(LATEX.get(c, c) for c in _tamed(text))


def fit_html(fit: Mapping[str, Any]) -> str:
    """A fit, in the schema ``steinbound.fit/1``, as HTML.

    Examples
    --------
    >>> ratio = {"name": "ratio", "estimate": 0.5, "std_error": 0.1, "lower": 0.304, "upper": 0.696}
    >>> "<td>0.50</td><td>0.10</td><td>5.00</td>" in fit_html({"method": "mle", "parameters": [ratio]})
    True
    """
    return html_table(**_fit_table(fit))


def fit_latex(fit: Mapping[str, Any]) -> str:
    """A fit, in the schema ``steinbound.fit/1``, as LaTeX for the package booktabs.

    Examples
    --------
    >>> ratio = {"name": "ratio", "estimate": -0.5, "std_error": 0.1, "lower": None, "upper": None}
    >>> "ratio & $-$0.50 & 0.10" in fit_latex({"method": "mle", "parameters": [ratio]})
    True
    """
    return latex_table(**_fit_table(fit))


def _fit_table(fit: Mapping[str, Any]) -> dict[str, Any]:
    level = percent(fit.get("confidence") or 0.95)
    return {
        "rows": [_parameter_row(parameter) for parameter in _shown_parameters(fit)],
        "header": ["parameter", "estimate", "std. error", "z", "p", f"{level}% lower", f"{level}% upper"],
        "notes": _notes(fit),
        "title": _title(fit),
        "warnings": fit.get("warnings") or [],
    }


def _parameter_row(parameter: Mapping[str, Any]) -> list[str]:
    value, error = parameter.get("estimate"), parameter.get("std_error")
    z = None
    if value is not None and error is not None and error != 0:
        z = value / error if math.isfinite(value / error) else None
    p = None if z is None else math.erfc(abs(z) / math.sqrt(2))
    interval = [estimate(parameter.get(end), error) for end in ("lower", "upper")]
    return [
        str(parameter["name"]),
        estimate(value, error),
        estimate(error, error),
        statistic(z),
        p_value(p),
        *interval,
    ]


def _shown_parameters(fit: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The reported parameters, and the fitted ones where some of those do not exist."""
    shown = list(fit["parameters"])
    if any(parameter.get("estimate") is None for parameter in shown):
        names = {parameter["name"] for parameter in shown}
        natural = fit.get("natural") or []
        shown += [p for p in natural if p.get("estimate") is not None and p["name"] not in names]
    return shown


def _title(fit: Mapping[str, Any]) -> str:
    title = f"{fit['method']} fit" + (f" of a {fit['model']} model" if fit.get("model") else "")
    if fit.get("statistic"):
        title += f", {str(fit['statistic']).upper()}-statistic"
    return title + (f", {fit['distance']} distance" if fit.get("distance") else "")


def _notes(fit: Mapping[str, Any]) -> list[str]:
    notes = []
    if fit.get("n") is not None:
        boundary = f", m = {fit['m']} boundary points" if fit.get("m") else ""
        notes.append(f"n = {fit['n']} points, d = {fit['d']}{boundary}")
    kernel = fit.get("kernel")
    if kernel:
        ridge = "" if fit.get("ridge") is None else f", ridge {plain(fit['ridge'])}"
        notes.append(f"kernel {kernel['name']}, bandwidth {significant(kernel['bandwidth'])}{ridge}")
    notes += _agreement(fit)
    if fit.get("covariance") is not None or fit.get("natural_covariance") is not None:
        notes.append(f"standard errors: {fit['covariance_type']}{_replicates(fit.get('bootstrap'))}")
    if fit.get("converged") is not None:
        seconds = (fit.get("seconds") or {}).get("total")
        ending = [_convergence(fit), _form(fit.get("compute")), "" if seconds is None else duration(seconds)]
        notes.append(", ".join(part for part in ending if part))
    return notes


def _agreement(fit: Mapping[str, Any]) -> list[str]:
    if fit.get("discrepancy") is not None:
        return [f"discrepancy {significant(fit['discrepancy'])}"]
    if fit.get("discrepancy_squared") is not None:
        return [f"squared discrepancy {significant(fit['discrepancy_squared'])} (negative)"]
    likelihood = fit.get("log_likelihood")
    return [] if likelihood is None else [f"log-likelihood {likelihood:.4f}"]


def _replicates(used: Mapping[str, Any] | None) -> str:
    if not used:
        return ""
    made = used["replicates"] - used["failed"]
    return f": {made} {used['resampling']} replicates, {used['interval']} intervals"


def _convergence(fit: Mapping[str, Any]) -> str:
    steps, starts = fit.get("iterations") or 0, fit.get("starts")
    if not fit["converged"]:
        return f"not converged after {steps} steps" if steps else "no minimum"
    if steps == 0 and starts is None:
        return "closed form"
    ending = f"converged in {steps} steps"
    if starts is not None and starts["tried"] > 1:
        ending += f", from {starts['agreed']} of {starts['tried']} starts"
    return ending


def _form(compute: Mapping[str, Any] | None) -> str:
    if not compute:
        return ""
    if compute.get("rank") is None or compute.get("residual") is None:
        return str(compute["form"])
    mantissa, exponent = f"{compute['residual']:.1e}".split("e")
    return f"{compute['form']} (rank {compute['rank']}, residual {mantissa}e{int(exponent)})"
