#!/usr/bin/env python3
"""Zone maps and Bloom filters of the official library: zone_indices.py PCHRONICLE.

Every type that it accepts, rows deleted before and after, small zones: `lance verify` of ours must agree with each zone,
`query` must find what is there, and values that are absent must need nearly no row. Needs the peers of ./dev setup --peers;
exit status 77 without them.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PEERS = os.environ.get("PCHRONICLE_PEERS", os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "pchronicle-peers"))
PYTHON = os.path.join(PEERS, "bench/bin/python")
ROWS = 1000
# How a filter names value number i of the columns that are asked for.
LITERALS = {
    "int8": lambda i: str(i % 50), "uint8": lambda i: str(i % 50), "int16": lambda i: str(7 * i), "uint16": lambda i: str(7 * i),
    "int32": lambda i: str(7 * i), "uint32": lambda i: str(7 * i), "int64": lambda i: str(7 * i), "uint64": lambda i: str(7 * i),
    "float": lambda i: "%r" % (i / 4 - 3), "double": lambda i: "%r" % (i / 4 - 3),
    "utf8": lambda i: "'v%d'" % i, "large_utf8": lambda i: "'v%d'" % i,
    "date32": lambda i: "(DATE '1970-01-01' + %d)" % i,
    "timestamp_us": lambda i: "make_timestamp(%d)" % (1000 * i),
    "timestamp_ms": lambda i: "make_timestamp(%d)::TIMESTAMP_MS" % (1000000 * i),
}
ABSENT = {"int8": "101", "uint8": "201", "int16": "-5", "uint16": "5", "date32": "DATE '1999-01-01'", "float": "0.3125",
          "double": "1e300", "timestamp_us": "make_timestamp(77)", "timestamp_ms": "make_timestamp(77000)::TIMESTAMP_MS", "utf8": "'nobody'",
          "large_utf8": "'nobody'"}


def table(pa):
    def some(make, of):
        return pa.array([None if i % 10 == 3 else make(i) for i in range(ROWS)], of)
    columns = {name: some(lambda i: i % 50, getattr(pa, name)()) for name in ("int8", "uint8")}
    for name in ("int16", "uint16", "int32", "uint32", "int64", "uint64"):
        columns[name] = some(lambda i: 7 * i, getattr(pa, name)())
    columns["float"] = some(lambda i: i / 4 - 3 if i != 12 else -0.0, pa.float32())
    columns["double"] = some(lambda i: float("nan") if i == 500 else i / 4 - 3 if i != 12 else -0.0, pa.float64())
    for name in ("utf8", "large_utf8"):
        columns[name] = some(lambda i: "v%d" % i, getattr(pa, name)())
    for name in ("binary", "large_binary"):
        columns[name] = some(lambda i: b"v%d" % i * (1 + i % 9), getattr(pa, name)())
    columns["fixed"] = some(lambda i: b"%04d" % i, pa.binary(4))
    columns["bool"] = some(lambda i: i % 2 == 0, pa.bool_())
    columns["date32"] = some(lambda i: i, pa.date32())
    columns["date64"] = some(lambda i: i * 86400000, pa.int64()).cast(pa.date64())
    for unit in ("s", "ms", "us", "ns"):
        columns["timestamp_" + unit] = some(lambda i: 1000 * i, pa.timestamp(unit))
        columns["zoned_" + unit] = some(lambda i: 1000 * i, pa.timestamp(unit, "UTC"))
        columns["duration_" + unit] = some(lambda i: 1000 * i, pa.duration(unit))
        columns["time_" + unit] = some(lambda i: 10 * i, (pa.time32 if unit in ("s", "ms") else pa.time64)(unit))
    return pa.table(columns)


class Checks:
    def __init__(self, program, path):
        self.program, self.path, self.count = program, path, 0

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit("%s: %s%s" % (arguments, done.stdout, done.stderr))
        return done

    def verify(self, indices):
        report = json.loads(self.run("lance", "verify", self.path).stdout)
        if report["problems"] or report["not_checked"] or report["indices"] != indices:
            raise SystemExit("%d indices: %s" % (indices, report))

    def query(self, where):
        done = self.run("query", self.path, "--query-metrics", "--sql", "SELECT count(*) AS n FROM rows WHERE " + where)
        metrics = dict(word.split("=", 1) for line in done.stderr.splitlines() for word in line.split() if "=" in word)
        self.count += 1
        return json.loads(done.stdout)["n"], int(metrics["scanned_rows"])

    def expect(self, where, rows, most):
        found, scanned = self.query(where)
        if found != rows or scanned > most:
            raise SystemExit("%s: %d rows of %d scanned, expected %d of at most %d" % (where, found, scanned, rows, most))


def check(lance, pa, program, kind, parameters, work):
    from lance.indices import IndexConfig
    path = os.path.join(work, kind + ".lance")
    dataset = lance.write_dataset(table(pa), path, max_rows_per_file=600)
    dataset.delete("int64 IN (0, 7, 406, 413, 420)")
    made = []
    for column in dataset.schema.names:
        try:
            dataset.create_scalar_index(column, IndexConfig(kind, parameters))
            made.append(column)
        except Exception as error:
            if "support" not in str(error):
                raise
    if len(made) < 25:
        raise SystemExit("only %s have a %s" % (made, kind))
    dataset.delete("int64 = 700")
    checks = Checks(program, path)
    checks.verify(len(made))
    gone = {0, 1, 58, 59, 60, 100}
    for column, literal in LITERALS.items():
        each = ROWS // 50 if column in ("int8", "uint8") else 1
        for i in (2, 12, 61, 499, 599, 600, 999):
            if i % 10 == 3:
                continue
            same = sum(1 for k in range(ROWS) if k % 10 != 3 and k not in gone and k % 50 == i % 50) if each > 1 else 1
            checks.expect("%s = %s" % (column, literal(i)), same, ROWS)
        if kind == "bloomfilter":
            checks.expect("%s = %s" % (column, ABSENT.get(column, "12345678")), 0, 60)
            if each == 1:
                checks.expect("%s IN (%s, %s)" % (column, literal(61), literal(999)), 2, 120)
        checks.expect("%s IS NULL" % column, ROWS // 10, ROWS // 10)
    if kind == "zonemap":
        checks.expect("int64 < 70", 7, 60)
        checks.expect("fixed = '0061'::BLOB", 1, ROWS)
    return checks.count


def main():
    program = sys.argv[1]
    if not os.path.exists(PYTHON):
        print("skipped: no official library (./dev setup --peers)", file=sys.stderr)
        sys.exit(77)
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(PEERS, "bench")):
        os.execv(PYTHON, [PYTHON] + sys.argv)
    import lance
    import pyarrow as pa
    work = tempfile.mkdtemp()
    try:
        for kind, parameters in (("bloomfilter", {"number_of_items": 50, "probability": 0.001}), ("zonemap", {"rows_per_zone": 50})):
            count = check(lance, pa, program, kind, parameters, work)
            print("pylance %s, %s: %d queries agree" % (lance.__version__, kind, count))
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
