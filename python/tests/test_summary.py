"""A fit as HTML, LaTeX and Markdown has the numbers of the text summary, and all text is escaped."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from steinbound import _core


def parameter(name: str, *values: float | None) -> dict[str, Any]:
    return dict(zip(("name", "estimate", "std_error", "lower", "upper"), (name, *values), strict=True))


def fit(**changes: Any) -> dict[str, Any]:
    """The regression of the README as JSON, with some of its fields changed."""
    parameters = [
        parameter(
            "(Intercept)", 11.301521932786505, 6.772730138624077, -1.9727852159256525, 24.57582908149866
        ),
        parameter(
            "langscore", 0.7125775031493037, 0.11447186714185441, 0.4882167663082151, 0.9369382399903923
        ),
        parameter(
            "prog[academic]", 4.065218400324259, 2.054938311300624, 0.037613319723478256, 8.09282348092504
        ),
        parameter(
            "prog[vocational]", -1.135862561695974, 2.6699611290309595, -6.368890214718554, 4.097165091326605
        ),
        parameter("sigma", 8.75531433217606, 0.6668028200004564, 7.44840482018542, 10.062223844166699),
    ]
    result = {
        "schema": "steinbound.fit/1", "method": "truncated-mle", "model": "regression", "statistic": None,
        "n": 178, "d": 4, "m": 0, "kernel": None, "ridge": None, "distance": None, "compute": None,
        "parameters": parameters, "natural": [], "covariance": [[1.0]], "natural_covariance": None,
        "covariance_type": "information", "confidence": 0.95,
        "discrepancy": None, "discrepancy_squared": None,
        "log_likelihood": -591.309813490278, "starts": {"tried": 1, "agreed": 1}, "converged": True,
        "iterations": 4, "warnings": [], "seconds": {"total": 0.0031},
    }  # fmt: skip
    return result | changes


def fit_html(fit: dict[str, Any]) -> str:
    return _core.render(json.dumps(fit), "html")


def fit_latex(fit: dict[str, Any]) -> str:
    return _core.render(json.dumps(fit), "latex")


PUBLISHED = """
parameter         estimate  std. error      z        p  95% lower  95% upper
(Intercept)           11.3         6.8   1.67   0.0952       -2.0       24.6
langscore             0.71        0.11   6.22  <0.0001       0.49       0.94
prog[academic]         4.1         2.1   1.98   0.0479        0.0        8.1
prog[vocational]      -1.1         2.7  -0.43   0.6705       -6.4        4.1
sigma                 8.76        0.67  13.13  <0.0001       7.45      10.06
"""


class Page(HTMLParser):
    """The text of a page by its elements, and whether these are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.paragraphs: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "p":
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if self.open and self.open[-1] == "p":
            self.paragraphs[-1] += data


def test_html_shows_what_the_text_summary_shows() -> None:
    page = Page(fit_html(fit()))
    assert page.rows == [re.split("  +", line) for line in PUBLISHED.strip().splitlines()]
    assert page.paragraphs == [
        "truncated-mle fit of a regression model",
        "n = 178 points, d = 4",
        "log-likelihood -591.3098",
        "standard errors: information",
        "converged in 4 steps, 3.1 ms",
    ]
    assert "script" not in page.tags


def test_latex_shows_the_same() -> None:
    text = fit_latex(fit())
    assert r"prog{[}vocational{]} & $-$1.1 & 2.7 & $-$0.43 & 0.6705 & $-$6.4 & 4.1 \\" in text
    assert r"langscore & 0.71 & 0.11 & 6.22 & \textless{}0.0001 & 0.49 & 0.94 \\" in text
    assert (
        r"\begin{tabular}{lrrrrrr}" in text
        and r"95\% lower" in text
        and r"\caption{truncated-mle fit" in text
    )
    assert all(text.count(rule) == 1 for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    assert text.count(r"\begin{") == text.count(r"\end{") == 2


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"statistic": "v"}, "truncated-mle fit of a regression model, V-statistic"),
        ({"distance": "exact"}, "truncated-mle fit of a regression model, exact distance"),
        ({"m": 32}, "n = 178 points, d = 4, m = 32 boundary points"),
        (
            {"kernel": {"name": "imq", "bandwidth": 8.0}, "ridge": 0.001},
            "kernel imq, bandwidth 8.000, ridge 0.001",
        ),
        ({"kernel": {"name": "imq", "bandwidth": 1.29774}}, "kernel imq, bandwidth 1.298"),
        ({"discrepancy": 0.00859}, "discrepancy 0.008590"),
        ({"discrepancy_squared": -0.002025}, "squared discrepancy -0.002025 (negative)"),
        ({"starts": None, "iterations": 0}, "closed form, 3.1 ms"),
        ({"converged": False}, "not converged after 4 steps, 3.1 ms"),
        ({"converged": False, "iterations": 0}, "no minimum, 3.1 ms"),
        ({"starts": {"tried": 8, "agreed": 5}}, "converged in 4 steps, from 5 of 8 starts, 3.1 ms"),
        (
            {"compute": {"form": "low-rank", "rank": 13, "residual": 8.1e-4, "threads": 1}},
            "converged in 4 steps, low-rank (rank 13, residual 8.1e-4), 3.1 ms",
        ),
        (
            {
                "covariance_type": "bootstrap",
                "bootstrap": {
                    "replicates": 50,
                    "failed": 1,
                    "resampling": "nonparametric",
                    "interval": "normal",
                    "bias": [],
                },
            },
            "standard errors: bootstrap: 49 nonparametric replicates, normal intervals",
        ),
        ({"warnings": ["it <may> be wrong"]}, "warning: it <may> be wrong"),
    ],
)
def test_lines_around_the_table(changes: dict[str, Any], line: str) -> None:
    assert line in Page(fit_html(fit(**changes))).paragraphs


def test_moments_that_do_not_exist_are_followed_by_natural_parameters() -> None:
    gone, there = parameter("mean[x]", None, None, None, None), parameter("eta[x]", -0.07, 0.19, -0.45, 0.31)
    rows = Page(fit_html(fit(parameters=[gone], natural=[gone, there]))).rows
    assert [row[0] for row in rows[1:]] == ["mean[x]", "eta[x]"] and rows[1][1:] == ["-"] * 6
    assert [row[0] for row in Page(fit_html(fit(natural=[there]))).rows[1:]][-1] == "sigma"
    assert r"mean{[}x{]} & -- & --" in fit_latex(fit(parameters=[gone]))


def test_parameters_without_uncertainty() -> None:
    rows = Page(fit_html(fit(parameters=[parameter("a", 0.5, 0.0, None, None)], covariance=None))).rows
    assert rows[1] == ["a", "0.5000", "0", "-", "-", "-", "-"]
    assert Page(fit_html(fit(confidence=0.999))).rows[0][-1] == "99.9% upper"


def test_everything_is_escaped() -> None:
    evil = "<script>alert('x')</script> & \"$x$\" \x1b[31m"
    changes = {"model": evil, "parameters": [parameter(evil, 1.0, None, None, None)], "warnings": [evil]}
    table = fit_html(fit(**changes))
    assert "<script" not in table and "\x1b" not in table and "$" not in table
    page, shown = Page(table), evil.replace("\x1b", "\\x1b")
    assert page.rows[1][0] == shown and page.paragraphs[-1] == f"warning: {shown}"
    special = "a_b & 50% #1 {x} $y$ ~ ^ \\ < [z]"
    text = fit_latex(fit(parameters=[parameter(special, -1.0, None, None, None)]))
    row = next(line for line in text.splitlines() if line.startswith("a"))
    expected = r"a\_b \& 50\% \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} \textbackslash{}"
    assert row == rf"{expected} \textless{{}} {{[}}z{{]}} & $-$1.000 & -- & -- & -- & -- & -- \\"


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("tab\tline\nreturn\r", r"tab\tline\nreturn\r"),
        ("nul\x00 delete\x7f blank\xa0", r"nul\x00 delete\x7f blank\xa0"),
        ("join\u200d tag\U000e0001", r"join\u200d tag\U000e0001"),
        ("Z\u00fcrich \u6771\u4eac u\u0308", "Z\u00fcrich \u6771\u4eac u\u0308"),
    ],
)
def test_what_cannot_be_seen_is_escaped(name: str, escaped: str) -> None:
    assert Page(fit_html(fit(parameters=[parameter(name, 1.0, None, None, None)]))).rows[1][0] == escaped


def test_markdown_and_text() -> None:
    text = _core.render(json.dumps(fit()), "markdown")
    assert r"| prog\[vocational\] | -1.1 | 2.7 | -0.43 | 0.6705 | -6.4 | 4.1 |" in text
    assert PUBLISHED.strip().splitlines()[-1] in _core.render(json.dumps(fit()), "text")


def test_unknown_formats_and_what_is_no_fit_are_refused() -> None:
    with pytest.raises(ValueError, match='did you mean "latex"'):
        _core.render(json.dumps(fit()), "latx")
    with pytest.raises(ValueError, match="not a fit"):
        _core.render("{}", "html")
