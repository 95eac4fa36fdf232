"""Write docs/src/results.md and its pictures from the folder of a full run.

    steinbound reproduce all --output FOLDER
    python tools/results.py FOLDER

The text is tools/results.md. In it, [study label=value .. | method | quantity] stands for a mean with its
standard error from the run's summary, [.. | quantity median] for a median, and [comparison] for the table of
published means. A value that is missing in the summary is an error.
"""

import json
import math
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).parents[1]
PLACE = re.compile(r"\[(\w+)((?: [\w-]+=[^|\\\]]+?)*) \\?\| ([\w-]+) \\?\| (\w+)( median)?\]")


def decimals(error):
    """Decimals that leave two digits of a standard error, as journals print them."""
    if not error or not math.isfinite(error):
        return 3
    return max(0, 1 - math.floor(math.log10(error)))


def shown(mean, error):
    places = decimals(error)
    if error is None or not math.isfinite(error):
        return f"{mean:.3g}"
    return f"{mean:.{places}f} ± {error:.{places}f}".replace("-", "−")


class Summary:
    def __init__(self, folder):
        self.data = json.loads((folder / "summary.json").read_text())
        self.studies = {study["study"]: study["means"] for study in self.data["studies"]}

    def mean(self, study, setting, method, quantity, median):
        wanted = dict(re.findall(r"([\w-]+)=([^=]+?)(?= [\w-]+=|$)", setting.strip()))
        found = [
            row
            for row in self.studies.get(study, [])
            if row["method"] == method
            and row["quantity"] == quantity
            and all(row["setting"].get(label) == value for label, value in wanted.items())
        ]
        if len(found) != 1:
            sys.exit(f"{study} {wanted} {method} {quantity}: {len(found)} means in the summary")
        if median:
            return f"{found[0]['median']:.3f}"
        return shown(found[0]["mean"], found[0]["std_error"])

    def comparison(self):
        lines = ["| figure | setting | method | quantity | ours | published code | difference in standard errors |", "|---|---|---|---|---|---|---|"]
        for row in self.data["comparison"]:
            places = decimals(row["published_std_error"])
            published = f"{row['published']:.{places}f} ± {row['published_std_error']:.{places}f}"
            if not row["is_std_error_published"]:
                published += " *"
            difference = f"{row['difference']:+.1f}".replace("-0.0", "+0.0").replace("-", "−")
            if not row["is_judged"]:
                difference = f"({difference})"
            ours = shown(row["ours"], row["std_error"])
            lines.append(f"| {row['figure']} | {row['setting']} | {row['method']} | {row['quantity']} | {ours} | {published} | {difference} |")
        return "\n".join(lines)

    def agreement(self):
        rows = [row for row in self.data["comparison"] if row["is_judged"]]
        beyond = [row for row in rows if row["difference"] is None or abs(row["difference"]) > 3]
        if len(beyond) > 0.02 * len(rows):
            sys.exit(f"{len(beyond)} of {len(rows)} published means lie beyond three standard errors: more than 2 %")
        return f"{len(beyond)} of {len(rows)}"


def main(folder):
    folder = pathlib.Path(folder)
    summary = Summary(folder)
    text = (ROOT / "tools/results.md").read_text()
    text = PLACE.sub(lambda m: summary.mean(m[1], m[2], m[3], m[4], m[5]), text)
    text = text.replace("[comparison]", summary.comparison()).replace("[agreement]", summary.agreement())
    text = text.replace("[settings]", summary.data["settings"])
    left = re.search(r"\[[^\]]*\|[^\]]*\]", text)
    if left:
        sys.exit(f"not understood: {left[0]}")
    pictures = ROOT / "docs/src/results"
    pictures.mkdir(parents=True, exist_ok=True)
    for name in re.findall(r"\(results/([\w]+\.png)\)", text):
        shutil.copyfile(folder / name, pictures / name)
    (ROOT / "docs/src/results.md").write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
