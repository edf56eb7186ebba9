#!/usr/bin/env python3
"""Compares our answers over files with those of the original program over its imported store, on the same inputs.

usage: peer_answers.py BINARY SHARED_FOLDER. Exit 77 (skipped) when the fixtures are absent. Every difference must be one of
DIFFERENCES, which names the decision behind it; docs/design/differences.md explains them. A listed difference that no longer occurs
fails, too.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# (folder, query, column) -> decision. "*" stands for any folder.
DIFFERENCES = {
    ("*", "runs", "storage_ordinal"): "STL-122",
    ("*", "trajectories", "storage_ordinal"): "STL-122",
    ("a-atif", "runs", "parent"): "formats.md 3.6",
    ("a-atif", "trajectories", "parent"): "formats.md 3.6",
    ("*", "count", "rows"): "DSC-01",
}
# Queries whose rows say where the data lies (a store there, files here) or in which physical order it stands.
ABOUT_LAYOUT = {"sources", "order_runs", "order_steps", "order_tool_calls", "limit"}
KEYS = {
    "runs": ["document_id"],
    "steps": ["document_id", "turn_ordinal"],
    "tool_calls": ["document_id", "step_id", "call_index"],
    "trajectories": ["document_id"],
}


def plain(value):
    """What a cell means: JSON text as the value it holds, null members as absent (formats.md 1.4)."""
    if isinstance(value, str) and value[:1] in '{["':
        try:
            return without_nulls(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def without_nulls(value):
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in sorted(value.items()) if v is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def rows_of(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def ask(binary, folder, sql):
    env = dict(os.environ, PCHRONICLE_CONFIG="/dev/null")
    done = subprocess.run([binary, "query", folder, "--sql", sql, "--format", "jsonl", "--log-level", "error"],
                          capture_output=True, text=True, env=env)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return rows_of(done.stdout), None


def compare(name, theirs, ours):
    """Yields (column, detail) for every column that differs in some row."""
    keys = KEYS.get(name)
    if keys is None:
        if [sorted(plain(list(r.values())), key=str) for r in theirs] != [sorted(plain([v for v in r.values() if v is not None]), key=str) for r in ours]:
            yield "rows", f"{str(theirs)[:150]} != {str(ours)[:150]}"
        return
    index = {tuple(str(r.get(k)) for k in keys): r for r in ours}
    if len(index) != len(theirs):
        yield "rows", f"{len(theirs)} rows there, {len(index)} here"
    seen = set()
    for row in theirs:
        mine = index.get(tuple(str(row.get(k)) for k in keys))
        if mine is None:
            yield "rows", f"no row {[row.get(k) for k in keys]}"
            continue
        for column in row.keys() | mine.keys():
            if column == "_file_" or column in seen or (column not in row and mine[column] is None):
                continue
            if column not in row and column not in CONTRACT[name]:
                continue  # a column that we add
            if plain(row.get(column)) != plain(mine.get(column)):
                seen.add(column)
                yield column, f"{str(row.get(column))[:160]} != {str(mine.get(column))[:160]}"


CONTRACT = {}


def main():
    binary, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    peer = shared / "fixtures/peer"
    if not peer.is_dir():
        print(f"skipped: {peer} is absent")
        return SKIPPED
    found, unexpected = set(), []
    for folder in ("a-atif", "b-openai", "c-actf"):
        with tempfile.TemporaryDirectory() as work:
            listed = peer / folder / "inputs.txt"
            names = listed.read_text().split() if listed.exists() else []
            for name in names:
                for place in (shared / "fixtures/real" / name, peer / folder / "input" / name):
                    if place.exists():
                        shutil.copy(place, work)
            if (peer / folder / "input").is_dir():
                for file in (peer / folder / "input").iterdir():
                    if file.name != "rows.jsonl":  # the original skips it: its README
                        shutil.copy(file, work)
            for query in json.loads((peer / folder / "expected/queries.json").read_text()):
                name = query["name"]
                if query.get("rc", 0) != 0 or name in ABOUT_LAYOUT:
                    continue
                theirs = rows_of((peer / folder / "expected" / f"{name}.jsonl").read_text())
                ours, error = ask(binary, work, query["sql"])
                if error:
                    unexpected.append(f"{folder}/{name}: {error}")
                    continue
                CONTRACT.setdefault(name, set()).update(*[r.keys() for r in theirs] or [set()])
                for column, detail in compare(name, theirs, ours):
                    known = [k for k in ((folder, name, column), ("*", name, column)) if k in DIFFERENCES]
                    if known:
                        found.add(known[0])
                    else:
                        unexpected.append(f"{folder}/{name}.{column}: {detail}")
    for key in DIFFERENCES.keys() - found:
        unexpected.append(f"listed difference does not occur: {key}")
    for line in unexpected:
        print(line, file=sys.stderr)
    return 1 if unexpected else 0


sys.exit(main())
