#!/usr/bin/env python3
"""Checks that includes point one way: usage include_graph.py SOURCE_DIR. Exit 1 names every include that does not."""
import pathlib
import re
import sys

# Directory -> what it may include, beside itself (docs/design/overview.md).
MAY_USE = {
    "base": set(),
    "columnar": {"base"},
    "json": {"columnar", "base"},
    "io": {"base"},
    "codec": {"base"},
    "lance": {"io", "codec", "columnar", "base"},
    "model": {"json", "columnar", "base"},
    "catalog": {"lance", "model", "json", "io", "columnar", "base"},
    "sql": {"catalog", "model", "io", "json", "columnar", "base"},
    "app": {"sql", "catalog", "lance", "model", "io", "json", "columnar", "base"},
    "api": {"app", "sql", "catalog", "lance", "model", "io", "json", "columnar", "base"},
    "cli": {"app", "catalog", "model", "io", "json", "columnar", "base"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"(pchronicle/([a-z_]+)/[^"]+)"')
ENGINE = re.compile(r'^\s*#\s*include\s+[<"]duckdb')


def violations(root):
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cc") or not path.is_file():
            continue
        part = path.relative_to(root).parts[0]
        if part.endswith(".h"):  # the public header stands above all directories
            continue
        if part not in MAY_USE:
            yield f"{path}: directory '{part}' is not in the include graph"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and found[2] != part and found[2] not in MAY_USE[part]:
                yield f"{path}:{number}: {part}/ must not include {found[1]}"
            if ENGINE.match(line) and part != "sql":
                yield f"{path}:{number}: only sql/ may include DuckDB"


def main():
    found = list(violations(pathlib.Path(sys.argv[1])))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
