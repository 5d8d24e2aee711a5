"""Reads files of `pagekin crawl pairs` with DuckDB and prints their rows as JSON, by file.

Usage: pairs.py FILE...
"""

import json
import sys

try:
    import duckdb
except ImportError:
    print("the package duckdb is not installed", file=sys.stderr)
    sys.exit(77)

COLUMNS = {
    "url": "VARCHAR",
    "other_url": "VARCHAR",
    "similarity": "DOUBLE",
    "title": "VARCHAR",
    "other_title": "VARCHAR",
}
READERS = {
    "csv": "read_csv(?, header = true)",
    "jsonl": "read_json(?)",
    "parquet": "read_parquet(?)",
}


def rows(file):
    reader = READERS[file.rsplit(".", 1)[1]]
    found = duckdb.execute(f"SELECT * FROM {reader}", [file])
    columns = {name: str(kind) for name, kind, *_ in found.description}
    kinds = {"STRING": "VARCHAR", "NUMBER": "DOUBLE"}
    columns = {name: kinds.get(kind, kind) for name, kind in columns.items()}
    if columns != COLUMNS:
        sys.exit(f"{file}: expected the columns {COLUMNS}, found {columns}")
    return [dict(zip(columns, row)) for row in found.fetchall()]


print(json.dumps({file: rows(file) for file in sys.argv[1:]}))
