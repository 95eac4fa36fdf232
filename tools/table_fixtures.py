"""Writes the small Parquet files that tests of steinbound-io and steinbound-cli read; needs pyarrow and polars."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import polars
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).resolve().parents[1] / "crates" / "steinbound-io" / "tests" / "tables"

KINDS = pa.table(
    {
        "double": pa.array([1.5, -2.25, 3.0]),
        "float": pa.array([0.5, 1.5, -2.5], pa.float32()),
        "half": pa.array([0.5, -65504.0, 6e-8], pa.float16()),
        "byte": pa.array([-1, 0, 127], pa.int8()),
        "long": pa.array([-(2**40), 0, 2**40], pa.int64()),
        "unsigned": pa.array([0, 1, 2**32 - 1], pa.uint32()),
        "unsigned_long": pa.array([0, 1, 2**64 - 1], pa.uint64()),
        "truth": pa.array([True, False, True]),
        "price": pa.array([Decimal("1.25"), Decimal("-0.50"), Decimal("10.00")], pa.decimal128(20, 2)),
        "gaps": pa.array([1.0, None, 3.0]),
        "group": pa.array(["a", None, "b"]),
        "colour": pa.array(["red", "blue", "red"]).dictionary_encode(),
        "day": pa.array([date(2026, 1, 1)] * 3),
        "moment": pa.array([datetime(2026, 1, 1)] * 3),
        "list": pa.array([[1.0], [2.0, 3.0], []]),
        "pair": pa.array([{"x": 1.0}] * 3),
        "last": pa.array([7, 8, 9], pa.int32()),
    }
)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    pq.write_table(KINDS, FOLDER / "kinds.parquet", compression="snappy", write_statistics=False, store_schema=False)
    disc = pa.table({"x": [0.1 * i - 0.55 for i in range(12)], "y": [0.3 - 0.05 * (i * 5 % 12) for i in range(12)]})
    for codec in ("gzip", "lz4"):
        pq.write_table(
            disc, FOLDER / f"{codec}.parquet", compression=codec, row_group_size=5, write_statistics=False, store_schema=False
        )
    pq.write_table(
        disc, FOLDER / "checksums.parquet", compression="none", use_dictionary=False, write_page_checksum=True, write_statistics=False
    )
    polars.DataFrame({"x": [0.1, 0.2], "y": [0.3, 0.1]}).write_parquet(FOLDER / "zstd.parquet", statistics=False)


if __name__ == "__main__":
    main()
