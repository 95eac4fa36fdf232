"""Makes the GeoPackage that the tests of maps read: two layers of polygons and one of points."""

import math
import sqlite3
import struct
import sys
from pathlib import Path

PAGE_SIZE = 1024
COAST_VERTICES = 400


def ring(vertices):
    return struct.pack("<I", len(vertices)) + b"".join(struct.pack("<2d", *vertex) for vertex in vertices)


def polygon(*rings):
    return struct.pack("<BII", 1, 3, len(rings)) + b"".join(map(ring, rings))


def multi_polygon(*polygons):
    return struct.pack("<BII", 1, 6, len(polygons)) + b"".join(polygons)


def point(x, y):
    # Big-endian, which the format allows.
    return struct.pack(">BI2d", 0, 1, x, y)


def geometry(system, content, envelope=()):
    flags = 1 | (1 << 1 if envelope else 0)
    return b"GP" + struct.pack("<BBi", 0, flags, system) + struct.pack(f"<{len(envelope)}d", *envelope) + content


def square(x, y, side):
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side), (x, y)]


def main(path):
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    base.executescript(
        """
        CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
            organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,
            description TEXT);
        CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL);
        CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
            geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
            CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name));
        CREATE TABLE "towns" ("fid" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "geom" MULTIPOLYGON,
            "name" TEXT(20), "people" MEDIUMINT);
        CREATE TABLE coast (id INTEGER PRIMARY KEY, shape POLYGON);
        CREATE TABLE stops (id INTEGER PRIMARY KEY, shape POINT);
        """
    )
    systems = [
        ("WGS 84", 4326, "EPSG", 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984"]]', None),
        ("UTM zone 33N", 32633, "EPSG", 32633, 'PROJCS["WGS 84 / UTM zone 33N",PROJECTION["Transverse_Mercator"]]', None),
    ]
    base.executemany("INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)", systems)
    tables = [("towns", "geom", "MULTIPOLYGON", 4326), ("coast", "shape", "POLYGON", 32633), ("stops", "shape", "POINT", 4326)]
    base.executemany("INSERT INTO gpkg_contents VALUES (?, 'features')", [(table[0],) for table in tables])
    base.executemany("INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, 0, 0)", tables)
    north = polygon(square(10, 50, 4), square(11, 51, 1))
    south = multi_polygon(
        polygon([(10, 40), (11, 40), (11, 41), (10, 40)]), polygon([(20, 40), (21, 40), (21, 41), (20, 40)])
    )
    towns = [
        (geometry(4326, north, (10, 14, 50, 54)), "Northam", 1200),
        (geometry(4326, south), "Südham", 300_000),
        (None, "Nowhere", None),
    ]
    base.executemany("INSERT INTO towns (geom, name, people) VALUES (?, ?, ?)", towns)
    angles = [2 * math.pi * (k % COAST_VERTICES) / COAST_VERTICES for k in range(COAST_VERTICES + 1)]
    coast = [(5e5 + 1e5 * math.cos(angle), 6e6 + 1e5 * math.sin(angle)) for angle in angles]
    base.execute("INSERT INTO coast (shape) VALUES (?)", (geometry(32633, polygon(coast)),))
    stops = [(geometry(4326, point(10 + k / 100, 50 + k / 200)),) for k in range(60)]
    base.executemany("INSERT INTO stops (shape) VALUES (?)", stops)
    base.commit()
    base.execute("VACUUM")
    base.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
