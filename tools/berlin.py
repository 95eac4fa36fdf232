"""Write examples/berlin from the files that come with the Python package libpysal.

libpysal/examples/berlin holds two zipped Shapefiles in Web Mercator (EPSG:3857):

    prenzlauer.zip    2,203 Airbnb listings in Prenzlauer Berg, Berlin
    prenz_bound.zip   the polygon of the district

Web Mercator stretches lengths there by 1.64, so both are converted back to longitude and latitude, which
GeoJSON also requires; six decimals are a tenth of a metre. Rows keep the order of the source. Run it with

    pip download --no-deps libpysal
    python3 tools/berlin.py libpysal-4.14.1-py3-none-any.whl
"""

import csv
import io
import json
import math
import pathlib
import struct
import sys
import zipfile

FOLDER = pathlib.Path(__file__).parents[1] / "examples/berlin"
SOURCE = "libpysal/examples/berlin/"
RADIUS = 6378137.0
ROWS = 2203
# The source's name of each column that is kept, cut to ten letters there, and the name here.
COLUMNS = {"price": "price", "accommodat": "accommodates", "bedrooms": "bedrooms", "review_sco": "review_score"}
POINT, POLYGON = 1, 5


def degrees(x, y):
    """Longitude and latitude of a place in Web Mercator."""
    latitude = 2 * math.atan(math.exp(y / RADIUS)) - math.pi / 2
    return round(math.degrees(x / RADIUS), 6), round(math.degrees(latitude), 6)


def shapes(content):
    """The points of a .shp file as [x, y], its polygons as lists of rings."""
    at = 100
    while at < len(content):
        words, kind = struct.unpack(">4xi", content[at : at + 8])[0], struct.unpack("<i", content[at + 8 : at + 12])[0]
        record = content[at + 12 : at + 8 + 2 * words]
        if kind == POINT:
            yield struct.unpack("<2d", record[:16])
        elif kind == POLYGON:
            parts, count = struct.unpack("<2i", record[32:40])
            starts = struct.unpack(f"<{parts}i", record[40 : 40 + 4 * parts])
            values = struct.unpack(f"<{2 * count}d", record[40 + 4 * parts : 40 + 4 * parts + 16 * count])
            vertices = list(zip(values[::2], values[1::2]))
            yield [vertices[start:end] for start, end in zip(starts, [*starts[1:], count])]
        else:
            sys.exit(f"a shape of kind {kind}, where points or polygons are expected; the source has changed")
        at += 8 + 2 * words


def records(content):
    """The rows of a .dbf file, each a dictionary of texts."""
    count, header, length = struct.unpack("<IHH", content[4:12])
    fields = []
    at = 32
    while content[at] != 0x0D:
        fields.append((content[at : at + 11].split(b"\0")[0].decode(), content[at + 16]))
        at += 32
    for row in range(count):
        at = header + row * length + 1
        cells = {}
        for name, width in fields:
            cells[name] = content[at : at + width].decode().strip()
            at += width
        yield cells


def packed(wheel, name):
    """A zipped Shapefile of the wheel."""
    return zipfile.ZipFile(io.BytesIO(wheel.read(f"{SOURCE}{name}.zip")))


def main(path):
    with zipfile.ZipFile(path) as wheel:
        listings, district = packed(wheel, "prenzlauer"), packed(wheel, "prenz_bound")
        places = list(shapes(listings.read("prenzlauer.shp")))
        attributes = list(records(listings.read("prenzlauer.dbf")))
        (rings,) = shapes(district.read("prenz_bound.shp"))
    if len(places) != ROWS or len(attributes) != ROWS:
        sys.exit(f"{len(places)} listings where {ROWS} are expected; the source has changed")
    with open(FOLDER / "listings.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["lon", "lat", *COLUMNS.values()])
        for place, row in zip(places, attributes):
            writer.writerow([*degrees(*place), *(f"{float(row[name]):g}" for name in COLUMNS)])
    # GeoJSON runs around an outer ring counter-clockwise, a Shapefile clockwise.
    coordinates = [[degrees(*vertex) for vertex in reversed(ring)] for ring in rings]
    feature = {
        "type": "Feature",
        "properties": {"name": "Prenzlauer Berg"},
        "geometry": {"type": "Polygon", "coordinates": coordinates},
    }
    collection = json.dumps({"type": "FeatureCollection", "features": [feature]}, separators=(",", ":"))
    (FOLDER / "prenzlauer_berg.geojson").write_text(collection + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
