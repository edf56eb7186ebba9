#!/usr/bin/env python3
"""The official Arrow library takes our stream, finds every array valid, and sees the rows that the program prints.
usage: arrow_stream.py --program P --library L --build DIR --source DIR --compiler CXX. Exit 77 when it is absent."""
import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
RELATIONS = ("sources", "runs", "steps", "tool_calls", "observation_results", "trajectories", "run_tree", "events")
TYPES = """SELECT i, i::VARCHAR AS s, CASE WHEN i % 7 = 0 THEN NULL ELSE [i, i + 1] END AS l,
  CASE WHEN i % 3 = 0 THEN NULL ELSE {'x': i::VARCHAR} END AS st, MAP {i::VARCHAR: i} AS m,
  sum(i) OVER (ORDER BY i) AS total FROM range(10000) r(i) ORDER BY i"""


def peers_python():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("PCHRONICLE_PEERS") or f"{cache}/pchronicle-peers", "bench/bin/python")


def read(library, folder, sql):
    import pyarrow  # only the peers' Python has it
    stream = ctypes.create_string_buffer(5 * ctypes.sizeof(ctypes.c_void_p))
    assert library.ask(os.fsencode(folder), sql.encode(), stream) == 0, sql
    table = pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
    table.validate(full=True)
    return table


def compare(program, shim, folder):
    """Runs inside the peers' Python."""
    import pyarrow.types as types
    library = ctypes.CDLL(shim)
    for relation in RELATIONS:
        sql = f"SELECT * FROM {relation}"
        printed = subprocess.run([program, "query", folder, "--errors", "report", "--format", "jsonl", "--sql", sql],
                                 capture_output=True, text=True, check=True).stdout.splitlines()
        table = read(library, folder, sql)
        assert table.num_rows == len(printed), relation
        # Instants print as text; everything else is the same on both ways.
        names = [field.name for field in table.schema if not types.is_timestamp(field.type)]
        for ours, row in zip(table.select(names).to_pylist(), map(json.loads, printed)):
            assert ours == {name: row[name] for name in names}, (relation, ours, row)
    table = read(library, folder, TYPES)
    numbers = range(10000)
    assert table.column("i").to_pylist() == list(numbers)
    assert table.column("s").to_pylist() == [str(i) for i in numbers]
    assert table.column("l").to_pylist() == [[i, i + 1] if i % 7 else None for i in numbers]
    assert table.column("st").to_pylist() == [{"x": str(i)} if i % 3 else None for i in numbers]
    assert table.column("m").to_pylist() == [[(str(i), i)] for i in numbers]
    assert [int(value) for value in table.column("total").to_pylist()] == [i * (i + 1) // 2 for i in numbers]


def main():
    if sys.argv[1] == "--compare":
        compare(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser()
    for name in ("program", "library", "build", "source", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sanitize", default="")
    arguments = parser.parse_args()
    python = peers_python()
    if arguments.sanitize or not python.exists() or subprocess.run([python, "-c", "import pyarrow"],
                                                                   capture_output=True).returncode != 0:
        print("skipped: pyarrow is not there (./dev setup --peers), or this is a sanitizer build")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        shim = os.path.join(folder, "libask.so")
        # The headers as they are installed: those of the build come first.
        subprocess.run([arguments.compiler, "-std=c++20", "-shared", "-fPIC", f"-I{arguments.build}/include",
                        f"-I{arguments.source}", f"{arguments.source}/tests/compat/arrow_stream_shim.cc",
                        arguments.library, f"-Wl,-rpath,{os.path.dirname(arguments.library)}", "-o", shim], check=True)
        return subprocess.run([python, __file__, "--compare", arguments.program, shim,
                               f"{arguments.source}/demo/data"]).returncode


if __name__ == "__main__":
    sys.exit(main())
