#!/usr/bin/env python3
"""Tables that both libraries change: tables_both_ways.py EDIT_TABLE [ROUNDS] [SEED].

A model keeps the rows in Python. Each round makes a table with one of the libraries, then takes random steps with either:
append, delete, update, merge, compaction, columns, restore, clean-up, overwrite. After every step the official library must
give the model's rows, at the end ours must, too, and ours must find nothing wrong in the table. Then both append at the same
time, and no row may be lost. Releases that know no 2.1 make the tables themselves, and ours take the steps that write no
rows. Needs the peers of ./dev setup --peers; exit status 77 without them.
"""
import datetime
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import official_lance  # noqa: E402


# Steps of ours that write no rows: they work on tables of any file version.
WITHOUT_ROWS = {"delete", "index", "optimize", "drop", "rename", "nulls", "restore", "cleanup", "config"}


class Ours:
    def __init__(self, program):
        self.program = program

    def __call__(self, command, table, *arguments, fails=False):
        done = subprocess.run([self.program, command, table, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode and not fails:
            raise SystemExit("ours %s %s: %s" % (command, arguments, done.stderr))
        return done.stderr if fails else int(done.stdout)


def schema(pa):
    return pa.schema([pa.field("id", pa.int64(), True), pa.field("name", pa.string()), pa.field("score", pa.float64()),
                      pa.field("flag", pa.bool_()), pa.field("at", pa.timestamp("us", "UTC")), pa.field("raw", pa.binary()),
                      pa.field("tags", pa.list_(pa.string())),
                      pa.field("calls", pa.list_(pa.struct([("name", pa.string()), ("ids", pa.list_(pa.int32()))])))])


class Model:
    """Rows as dictionaries, and the columns that there are."""

    def __init__(self, dice, all_columns, long_text=90):
        self.long_text = long_text
        self.dice, self.next_id, self.rows, self.all_columns = dice, 0, [], all_columns
        self.columns, self.base = list(all_columns), list(all_columns)

    def make(self, count, ids=None):
        out = []
        for i in range(count):
            d = self.dice
            at = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=d.randrange(10**12))
            out.append({"id": self.next_id if ids is None else ids[i],
                        "name": None if d.random() < 0.1 else "n%d " % d.randrange(50) * d.choice([1, 1, 1, self.long_text]),
                        "score": None if d.random() < 0.1 else d.random(), "flag": d.choice([True, False, None]),
                        "at": at, "raw": bytes(d.randrange(256) for _ in range(d.randrange(9))),
                        "tags": d.choice([None, [], ["a"], ["b", None, "c" * d.randrange(99)]]),
                        "calls": None if d.random() < 0.2 else [
                            d.choice([None, {"name": "f%d" % k, "ids": [k] * k}, {"name": None, "ids": None}])
                            for k in range(d.randrange(4))]})
            if ids is None:
                self.next_id += 1
        return out

    def full(self, rows):
        return [{c: r.get(c) for c in self.columns} for r in rows]

    def sorted(self):
        return sorted(self.full(self.rows), key=lambda r: r["id"])


class Round:
    def __init__(self, pa, lance, ours, work, dice, number, release):
        self.release = release
        self.pa, self.lance, self.ours, self.dice, self.work = pa, lance, ours, dice, work
        columns = schema(pa).names
        if release.number < (6,):
            columns.remove("calls")
            release.without("lists of structs with nulls", "the release misreads its own")
            release.without("long texts with nulls", "the release writes damaged files")
        self.model = Model(dice, columns, long_text=90 if release.number >= (6,) else 9)
        self.path = "%s/t%d.lance" % (work, number)
        self.log, self.versions = [], {}
        self.stable, self.files = dice.random() < 0.4 and release.stable_row_ids, 0
        self.rows_of_ours = release.reads("2.1")
        if not self.rows_of_ours:
            release.without("tables and rows of ours", "they are in files of version 2.1")
        if not release.stable_row_ids:
            release.without("stable row ids", "not known to the release")
        self.extra_null = None

    def table(self, rows):
        extra = [c for c in self.model.columns if c not in self.model.base]
        fields = [f for f in schema(self.pa) if f.name in self.model.columns]
        renamed = [self.pa.field(c, self.pa.int64() if c == "twice" else self.pa.string()) for c in extra]
        return self.pa.Table.from_pylist(self.model.full(rows), schema=self.pa.schema(fields + renamed))

    def source(self, rows):
        """The rows as a table of its own that ours can read."""
        self.files += 1
        path = "%s/in%d.lance" % (self.work, self.files)
        shutil.rmtree(path, ignore_errors=True)
        self.lance.write_dataset(self.table(rows), path, data_storage_version="2.1")
        return path

    def options(self):
        """How the official library makes a table."""
        versions = self.release.file_versions
        out = {"data_storage_version": self.dice.choice(versions[1:] or versions), "max_rows_per_file": self.dice.choice([40, 1000])}
        if self.release.number < (1,):
            out["max_rows_per_file"] = 1000
            self.release.without("files cut at 40 rows", "the release moves nulls when it cuts")
        if self.stable:
            out["enable_stable_row_ids"] = True
        return out

    def check(self):
        got = self.lance.dataset(self.path).to_table().to_pylist()
        want = self.model.sorted()
        got.sort(key=lambda r: r["id"])
        if got != want:
            bad = [(a, b) for a, b in zip(got, want) if a != b][:2]
            raise SystemExit("official rows differ: %d for %d, %r\n%s" % (len(got), len(want), bad, "\n".join(self.log)))

    def check_ours(self):
        if not self.rows_of_ours:
            self.ours("check", self.path)
            rows = self.ours("count", self.path, "id", ">=", 0)
            if rows != len(self.model.rows):
                raise SystemExit("we count %d rows, there are %d\n%s" % (rows, len(self.model.rows), "\n".join(self.log)))
            return
        out = self.path + ".copy"
        shutil.rmtree(out, ignore_errors=True)
        self.ours("create", out, self.path)
        got = sorted(self.lance.dataset(out).to_table().to_pylist(), key=lambda r: r["id"])
        if got != self.model.sorted():
            raise SystemExit("our rows differ: %d for %d\n%s" % (len(got), len(self.model.rows), "\n".join(self.log)))
        shutil.rmtree(out)
        self.ours("check", self.path)

    def create(self):
        rows = self.model.make(self.dice.randrange(300))
        self.model.rows = rows
        mine = self.dice.random() < 0.6 and self.rows_of_ours
        if mine:
            self.ours("create", self.path, self.source(rows), self.dice.choice([40, 1000]), *(["stable"] if self.stable else []))
        else:
            self.lance.write_dataset(self.table(rows), self.path, **self.options())
        self.note("create", mine)

    def note(self, what, mine):
        version = self.lance.dataset(self.path).version
        self.log.append("%s %s -> version %d, %d rows" % ("ours" if mine else "official", what, version, len(self.model.rows)))
        self.versions[version] = ([dict(r) for r in self.model.rows], list(self.model.columns), list(self.model.base))

    def ids(self):
        return [r["id"] for r in self.model.rows]

    def step(self):
        mine, d, m = self.dice.random() < 0.5, self.dice, self.model
        what = d.choice(["append", "append", "delete", "delete", "update", "update", "merge", "merge", "compact", "compact",
                         "index", "optimize", "double", "drop", "rename", "nulls", "restore", "cleanup", "overwrite", "config"])
        mine = mine and (self.rows_of_ours or what in WITHOUT_ROWS)
        if not self.they_can(what, mine):
            return
        ds = self.lance.dataset(self.path)
        pivot = d.choice(self.ids() or [0])
        test = d.choice(["<", "=", ">="])
        hit = {"<": lambda r: r["id"] < pivot, "=": lambda r: r["id"] == pivot, ">=": lambda r: r["id"] >= pivot + 0}[test]
        if what == "append":
            rows = m.make(d.randrange(120))
            self.ours("append", self.path, self.source(rows)) if mine else ds.insert(self.table(rows), mode="append")
            m.rows += rows
        elif what == "delete":
            if test == ">=" and d.random() < 0.7:
                test, hit = "=", lambda r: r["id"] == pivot
            self.ours("delete", self.path, "id", test, pivot) if mine else ds.delete("id %s %d" % (test, pivot))
            m.rows = [r for r in m.rows if not hit(r)]
        elif what == "update":
            if "name" not in m.columns:
                return
            text = "set %d" % d.randrange(1000)
            if mine:
                self.ours("update", self.path, "id", test, pivot, "name", text)
            else:
                ds.update({"name": "'%s'" % text}, where="id %s %d" % (test, pivot))
            for r in m.rows:
                if hit(r):
                    r["name"] = text
        elif what == "merge":
            old = d.sample(self.ids(), min(len(m.rows), d.randrange(30)))
            rows = m.make(len(old), old) + m.make(d.randrange(30))
            d.shuffle(rows)
            kind = d.choice(["both", "insert", "update"])
            if mine:
                self.ours("merge", self.path, self.source(rows), "id", kind)
            else:
                job = ds.merge_insert("id")
                job = job if kind == "insert" else job.when_matched_update_all()
                job = job if kind == "update" else job.when_not_matched_insert_all()
                job.execute(self.table(rows))
            have = {r["id"]: i for i, r in enumerate(m.rows)}
            for r in rows:
                if r["id"] in have and kind != "insert":
                    m.rows[have[r["id"]]] = r
                elif r["id"] not in have and kind != "update":
                    m.rows.append(r)
        elif what == "compact":
            target = d.choice([50, 500, 100000]) if self.release.number >= (1,) else 100000
            if mine:
                self.ours("compact", self.path, target)
            else:
                ds.optimize.compact_files(target_rows_per_fragment=target, materialize_deletions_threshold=0.0)
        elif what == "index":
            if not m.rows:
                return
            kind = d.choice(["BTREE", "BTREE", "BITMAP"])
            self.ours("index", self.path, "id", kind) if mine else ds.create_scalar_index("id", kind, replace=True)
        elif what == "optimize":
            if not ds.list_indices():
                return
            self.ours(d.choice(["extend", "optimize"]), self.path, "id_idx") if mine else ds.optimize.optimize_indices()
        elif what == "double":
            if "twice" in m.columns:
                return
            self.ours("double", self.path) if mine else ds.add_columns({"twice": "id * 2"})
            m.columns.append("twice")
            for r in m.rows:
                r["twice"] = r["id"] * 2
        elif what == "nulls":
            name = "extra%d" % len(self.log)
            if mine:
                self.ours("nulls", self.path, name)
            else:
                ds.add_columns(self.pa.field(name, self.pa.string()))
            m.columns.append(name)
            for r in m.rows:
                r[name] = None
        elif what == "drop":
            names = [c for c in m.columns if c not in ("id", "name")]
            if not names:
                return
            name = d.choice(names)
            self.ours("drop", self.path, name) if mine else ds.drop_columns([name])
            m.columns.remove(name)
            m.base = [c for c in m.base if c != name]
            for r in m.rows:
                r.pop(name, None)
        elif what == "rename":
            names = [c for c in m.columns if c.startswith("extra")]
            if not names:
                return
            name, new = d.choice(names), "extra%dr" % len(self.log)
            self.ours("rename", self.path, name, new) if mine else ds.alter_columns({"path": name, "name": new})
            m.columns[m.columns.index(name)] = new
            for r in m.rows:
                r[new] = r.pop(name, None)
        elif what == "restore":
            there = {v["version"] for v in ds.versions()}
            version = d.choice([v for v in self.versions if v in there] or [ds.version])
            if version not in self.versions:
                return
            self.ours("restore", self.path, version) if mine else self.lance.dataset(self.path, version=version).restore()
            rows, columns, base = self.versions[version]
            m.rows, m.columns, m.base = [dict(r) for r in rows], list(columns), list(base)
        elif what == "cleanup":
            if mine:
                self.ours("cleanup", self.path)
            else:
                ds.cleanup_old_versions(datetime.timedelta(0), delete_unverified=False)
            self.versions = {}
        elif what == "overwrite":
            if d.random() < 0.6:
                return
            m.columns, m.base = list(m.all_columns), list(m.all_columns)
            rows = m.make(d.randrange(100))
            if mine:
                self.ours("overwrite", self.path, self.source(rows))
            else:
                self.lance.write_dataset(self.table(rows), self.path, mode="overwrite")
            m.rows = rows
        elif what == "config":
            if mine:
                self.ours("config", self.path, "key%d" % d.randrange(3), "x")
            else:
                ds.update_config({"key%d" % d.randrange(3): "y"})
        self.note(what, mine)
        self.check()
        if self.lance.dataset(self.path).list_indices() and m.rows:
            self.check_filter()

    def they_can(self, what, mine):
        """Whether this release has the step, or can live with ours."""
        missing = {}
        if self.release.number < (1,):
            missing = {"config": "not known to the release" if not mine else None,
                       "index": "the files of our indices are of version 2.1" if mine else None,
                       "optimize": "the files of our indices are of version 2.1" if mine else None,
                       "nulls": "the release cannot read columns without a file where rows are deleted"}
        if missing.get(what):
            self.release.without(("our " if mine else "its ") + what, missing[what])
        return not missing.get(what)

    def check_filter(self):
        """Filters that an index answers give what a full scan gives, in both libraries' tables."""
        ds = self.lance.dataset(self.path)
        pivot = self.dice.choice(self.ids())
        for where in ("id = %d" % pivot, "id < %d" % pivot):
            with_index, without = ds.count_rows(where), sum(
                1 for r in self.model.rows if (r["id"] == pivot if "=" in where else r["id"] < pivot))
            if with_index != without:
                raise SystemExit("official index gives %d rows for %s, there are %d\n%s" % (with_index, where, without, "\n".join(self.log)))
            mine = self.ours("count", self.path, *where.split())
            if mine != without:
                raise SystemExit("our index gives %d rows for %s, there are %d\n%s" % (mine, where, without, "\n".join(self.log)))

    def race(self, count):
        """Both append at once; a third writer, official, holds a stale handle all the time."""
        first = 10**9
        errors = []

        def official(start):
            try:
                for i in range(count):
                    ds = self.lance.dataset(self.path)
                    ds.insert(self.pa.Table.from_pylist([{"id": start + i}], schema=self.pa.schema([self.pa.field("id", self.pa.int64())])),
                              mode="append")
            except Exception as e:  # noqa: BLE001, told below
                errors.append(str(e))

        threads = [threading.Thread(target=official, args=(first,)),
                   threading.Thread(target=lambda: self.ours("race", self.path, first + 10**6, count)),
                   threading.Thread(target=lambda: self.ours("race", self.path, first + 2 * 10**6, count))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        if errors:
            raise SystemExit("official append in a race: %s" % errors[0])
        for start in (first, first + 10**6, first + 2 * 10**6):
            self.model.rows += [{"id": start + i} for i in range(count)]
        self.log.append("race of three")
        self.check()
        self.check_ours()


def main(release):
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    import lance
    import pyarrow as pa
    work = tempfile.mkdtemp()
    steps = 0
    try:
        for number in range(rounds):
            r = Round(pa, lance, Ours(program), work, random.Random(seed * 1000 + number), number, release)
            try:
                r.create()
                r.check()
                for _ in range(14):
                    r.step()
                    steps += 1
                r.check_ours()
            except BaseException:
                print("seed %d round %d, table kept at %s\n%s" % (seed, number, r.path, "\n".join(r.log)), file=sys.stderr)
                work = None
                raise
        if release.reads("2.1"):
            r.race(15)
        release.report("%d tables, %d steps" % (rounds, steps))
    finally:
        if work:
            shutil.rmtree(work)


if __name__ == "__main__":
    official_lance.run_with_each(main)
