"""Compressed inputs: `bench/compressed.py PCHRONICLE PEER_PYTHON CORPUS [--files N] [--repeats N] [--work DIR] [--keep] [--only REGEX]`.

Packs the `*.jsonl` of an ATIF corpus (as `./dev bench` makes them) with gzip and zstd and asks the same questions of the packed files and of
the plain ones. PEER_PYTHON has DuckDB, which reads the same files with a hand-written column list; its own start is not counted, ours is.
Contenders run in turn, after one uncounted run each, and their answers must agree. Prints JSON: per scenario the bytes on disk and as text, and
per contender median and p95 of the seconds and the peak RSS. Standard library only.
"""

import argparse
import glob
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PACKERS = {"gz": ["gzip", "-6", "-c"], "zst": ["zstd", "-3", "-q", "-c"]}

# name: our SQL, the struct of a step that DuckDB has to know, its SQL over `steps` (one row a step).
QUERIES = {
    "count-steps": ("SELECT count(*) AS n FROM steps", "STRUCT(step_id BIGINT)[]", "SELECT count(*) AS n FROM s"),
    "tools": (
        "SELECT function_name, count(*) AS n FROM tool_calls GROUP BY 1 ORDER BY 1",
        "STRUCT(tool_calls STRUCT(function_name VARCHAR)[])[]",
        "SELECT c.function_name AS function_name, count(*) AS n FROM (SELECT unnest(s.tool_calls) AS c FROM s) GROUP BY 1 ORDER BY 1",
    ),
    "like-wide": (
        "SELECT count(*) AS n FROM steps WHERE message_value LIKE '%error%'",
        "STRUCT(message JSON)[]",
        "SELECT count(*) AS n FROM s WHERE s.message::VARCHAR LIKE '%error%'",
    ),
}

PEER = """
import json, sys, time
import duckdb
sql = sys.argv[1]
db = duckdb.connect()
db.execute("SET enable_progress_bar = false")
begin = time.perf_counter()
cursor = db.execute(sql)
names = [d[0] for d in cursor.description]
rows = cursor.fetchall()
took = time.perf_counter() - begin
for row in rows:
    print(json.dumps(dict(zip(names, row))))
print(took, file=sys.stderr)
"""


def run(argv, inner):
    """Seconds, peak RSS in bytes and the rows of one process; `inner`: it says itself how long it took."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = subprocess.Popen(argv, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said = err.read().decode(errors="replace").strip().splitlines()
        if process.returncode != 0:
            sys.exit(f"exit {process.returncode}: {argv[0]}: {said[-1] if said else ''}")
        rows = [json.loads(line) for line in out.read().decode().splitlines()]
        return float(said[-1]) if inner else took, usage.ru_maxrss * 1024, rows


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:  # another file system; a symbolic link is no source
        shutil.copy(source, target)


def pack(sources, folder, kind):
    """The packed files, made once; bytes on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources:
        target = folder / f"{source.name}.{kind}" if kind else folder / source.name
        if target.exists():
            continue
        if not kind:
            link_or_copy(source, target)
            continue
        with open(source, "rb") as text, open(target.with_suffix(".part"), "wb") as packed:
            subprocess.run(PACKERS[kind], stdin=text, stdout=packed, check=True)
        target.with_suffix(".part").rename(target)


def contenders(program, python, folder, query):
    ours, step, sql = QUERIES[query]
    files = f"{folder}/*.jsonl*"
    source = f"(SELECT unnest(steps) AS s FROM read_ndjson('{files}', columns={{steps: '{step}'}}, maximum_object_size=67108864))"
    peer = sql.replace("FROM s", f"FROM {source} AS t")
    return {
        "ours": ([program, "query", str(folder), "--format", "jsonl", "--sql", ours], False),
        "duckdb": ([python, "-c", PEER, peer], True),
    }


def measure(commands, repeats):
    seen = {name: [] for name in commands}
    answers = {}
    for turn in range(repeats + 1):
        for name, (argv, inner) in commands.items():
            took, rss, rows = run(argv, inner)
            answers.setdefault(name, rows)
            if turn > 0:
                seen[name].append((took, rss))
    if len({json.dumps(rows) for rows in answers.values()}) != 1:
        sys.exit(f"answers differ: {json.dumps(answers)[:400]}")
    result = {}
    for name, runs in seen.items():
        times = sorted(took for took, _ in runs)
        p95 = times[min(len(times) - 1, round(0.95 * len(times) + 0.5) - 1)]
        result[name] = {"median_s": round(statistics.median(times), 4), "p95_s": round(p95, 4), "peak_rss_bytes": max(rss for _, rss in runs)}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("python")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=0, help="only the first N files of the corpus")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--work", type=pathlib.Path, default=None)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sources = [pathlib.Path(name) for name in sorted(glob.glob(str(options.corpus / "*.jsonl")))]
    sources = sources[: options.files] if options.files else sources
    if not sources:
        sys.exit(f"no *.jsonl in {options.corpus}")
    work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="pchronicle-compressed-"))
    text = sum(source.stat().st_size for source in sources)
    results = []
    try:
        for kind in ("", *PACKERS):
            folder = work / (kind or "plain")
            pack(sources, folder, kind)
            size = sum(path.stat().st_size for path in folder.iterdir())
            for query in QUERIES:
                scenario = f"{kind or 'plain'}/{query}"
                if re.search(options.only, scenario):
                    measured = measure(contenders(options.program, options.python, folder, query), options.repeats)
                    results.append({"scenario": scenario, "files": len(sources), "bytes": size, "text_bytes": text, **measured})
                    print(scenario, {name: m["median_s"] for name, m in measured.items()}, file=sys.stderr, flush=True)
    finally:
        if not options.keep:
            shutil.rmtree(work)
    print(json.dumps({"machine": f"{os.cpu_count()} cores", "repeats": options.repeats, "results": results}, indent=1))


if __name__ == "__main__":
    main()
