#!/usr/bin/env python3
"""Every bundled table through SQL: sql_rows.py PCHRONICLE DATA [NAME ...].

`SELECT *` of each table must give the rows of its expected.ndjson, in their order; a table that is to be refused must
fail. What JSON output cannot hold (NaN, infinities) may be null.
"""
import datetime
import decimal
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys

decimal.getcontext().prec = 100
EPOCH = datetime.date(1970, 1, 1)


def temporal(text):
    """Exact milliseconds of what SQL prints: a date, an instant, a time of day or a duration; a number is nanoseconds."""
    if isinstance(text, int):
        return decimal.Decimal(text) / 1000000
    days = 0
    if match := re.match(r"(\d{4})-(\d\d)-(\d\d)T?(.*)", text):
        days = (datetime.date(*map(int, match.groups()[:3])) - EPOCH).days
        text = match[4]
    text = text.removesuffix("Z")
    sign = -1 if text.startswith("-") else 1
    hours, minutes, seconds = (text.lstrip("-") or "0:0:0").split(":")
    clock = (int(hours) * 60 + int(minutes)) * 60 + decimal.Decimal(seconds)
    return 1000 * (86400 * days + sign * clock)


def words(text, count):
    """A decimal as little-endian words of 32 bits."""
    number = int((text if isinstance(text, str) else f"{text:f}").replace(".", "")) % 2 ** (32 * count)
    return [number >> 32 * i & 0xFFFFFFFF for i in range(count)]


def same(got, want):
    """Whether a cell of SQL is the expected one; temporal values and decimals show in how they are written."""
    if want is None or got is None:
        return got is want or want in ("NaN", "Infinity", "-Infinity")
    if isinstance(want, dict):
        if "$len" in want:
            return len(got) == want["$len"] and hashlib.sha256(got.encode()).hexdigest() == want["$sha256"]
        return isinstance(got, dict) and got.keys() == want.keys() and all(same(got[key], want[key]) for key in want)
    if isinstance(want, list):
        if isinstance(got, list):
            return len(got) == len(want) and all(same(g, w) for g, w in zip(got, want))
        if isinstance(got, dict):  # a map with keys of text
            return {pair["key"]: pair["value"] for pair in want}.keys() == got.keys() and all(
                same(got[pair["key"]], pair["value"]) for pair in want)
        return words(got, len(want)) == want
    if isinstance(want, bool) or isinstance(want, str):
        return got == want or (not isinstance(got, bool) and isinstance(got, int) and str(got) == want)
    if isinstance(got, str):
        return temporal(got) == want
    return math.isclose(got, want, rel_tol=1e-6) or temporal(got) == want if isinstance(got, int) else math.isclose(
        got, want, rel_tol=1e-6)


def check(program, folder):
    """Text of the first difference, or none."""
    expected = folder / "expected.ndjson"
    with_ids = expected.exists() and "_rowid" in expected.read_text().splitlines()[0]
    answer = subprocess.run(
        [program, "query", "--mount", f"t={folder / 't.lance'}", "--sql",
         f"SELECT *{', _rowid' if with_ids else ''} FROM t.rows", "--format", "jsonl", "--max-output-rows", "0",
         "--max-output-bytes", "1000000000"], capture_output=True)
    if "must refuse" in (folder / "README.md").read_text() or not expected.exists():
        return "" if answer.returncode != 0 else "was to be refused"
    if answer.returncode != 0:
        return answer.stderr.decode()
    exact = json.JSONDecoder(parse_float=decimal.Decimal).decode
    names, *rows = (exact(line) for line in expected.read_text().splitlines())
    got = [exact(line) for line in answer.stdout.decode().splitlines()]
    if len(got) != len(rows):
        return f"{len(got)} rows, expected {len(rows)}"
    for number, (ours, theirs) in enumerate(zip(got, rows)):
        if list(ours) != names:
            return f"columns {list(ours)}, expected {names}"
        for name, want in zip(names, theirs):
            if not same(ours[name], want):
                return f"row {number}, column {name}: {str(ours[name])[:200]} expected {str(want)[:200]}"
    return ""


def main():
    program, data, *names = sys.argv[1:]
    failed = 0
    folders = sorted(path for path in pathlib.Path(data).iterdir() if (path / "t.lance").is_dir())
    for folder in folders:
        if (not names or folder.name in names) and folder.name != "lance14_branch":  # its parent lies elsewhere
            difference = check(program, folder)
            failed += bool(difference)
            if difference:
                print(f"{folder.name}: {difference}")
    print(f"{len(folders)} tables, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
