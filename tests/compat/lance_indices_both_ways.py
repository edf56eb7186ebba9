#!/usr/bin/env python3
"""Scalar indices in both directions: lance_indices_both_ways.py BUILD_LANCE_INDEX PCHRONICLE [SEED].

Indices of ours on tables of the official library must be used by it and give what a scan gives; it appends, deletes,
compacts and optimises; we add delta segments, merge segments, theirs too, and compact; `lance verify` of ours must agree with every
state. Needs the peers of ./dev setup --peers; exit status 77 without them.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import official_lance

COLUMNS = (("i", "BTREE"), ("t", "BTREE"), ("d", "BTREE"), ("ts", "BTREE"), ("k", "BITMAP"), ("b", "BITMAP"), ("u", "BITMAP"))


def rows(rng, count):
    import pyarrow as pa
    some = lambda make: [None if rng.random() < 0.1 else make() for _ in range(count)]
    return pa.table({
        "i": pa.array(some(lambda: rng.randrange(-1000, 1000)), pa.int64()),
        "t": pa.array(some(lambda: "run-%05d" % rng.randrange(3000)), pa.string()),
        "d": pa.array(some(lambda: rng.choice([-1.5, -0.25, 0.5, 1e9, float("inf"), rng.random()])), pa.float64()),
        "ts": pa.array(some(lambda: rng.randrange(10**6)), pa.timestamp("ms", "UTC")),
        "k": pa.array(some(lambda: rng.choice(["agent", "user", "", "tool \u00e9"])), pa.string()),
        "b": pa.array(some(lambda: rng.random() < 0.3), pa.bool_()),
        "u": pa.array(some(lambda: rng.randrange(20)), pa.uint8()),
        "n": pa.array(range(count), pa.int64())})


def predicates(rng, column):
    values = {"i": lambda: str(rng.randrange(-1000, 1000)), "t": lambda: "'run-%05d'" % rng.randrange(3000),
              "d": lambda: rng.choice(["-0.25", "0.5", "0.7", "1000000000.0"]), "u": lambda: str(rng.randrange(25)),
              "ts": lambda: "timestamp '1970-01-01 00:%02d:00'" % rng.randrange(20),
              "k": lambda: rng.choice(["'agent'", "''", "'nobody'"]), "b": lambda: "true"}[column]
    yield "%s = %s" % (column, values())
    yield "%s IS NULL" % column
    if column != "b":
        yield "%s < %s" % (column, values())
        yield "%s >= %s AND n > 20" % (column, values())
        yield "%s IN (%s, %s)" % (column, values(), values())


class Interop:
    def __init__(self, build, program, path, seed):
        self.build, self.program, self.path = build, program, path
        self.rng = random.Random(seed)
        self.checks = 0

    def open(self):
        import lance
        return lance.dataset(self.path)

    def run(self, *args):
        done = subprocess.run([self.build, self.path, *args], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit("build_lance_index %s: %s" % (" ".join(args), done.stderr))
        return json.loads(done.stdout)

    def commit(self, made):
        """The official library takes our segment into the table."""
        import lance
        from lance import Index, IndexFile, LanceOperation
        ds = self.open()
        describe = lambda uuid: Index(uuid=uuid, name=made["name"], fields=made["fields"], dataset_version=made["dataset_version"],
                                      fragment_ids=set(made["fragments"]), index_version=made["index_version"],
                                      files=[IndexFile(path=p, size_bytes=n) for p, n in made["files"]], index_details=(made["details"], b""))
        operation = LanceOperation.CreateIndex(new_indices=[describe(made["uuid"])], removed_indices=[describe(u) for u in made["replaced"]])
        lance.LanceDataset.commit(self.path, operation, read_version=ds.version)

    def check(self, state, columns=COLUMNS):
        """Their answers through the index are those of their scan; our program finds no difference either."""
        ds = self.open()
        for column, _ in columns:
            for where in predicates(self.rng, column):
                plan = ds.scanner(filter=where).explain_plan()
                if "ScalarIndexQuery" not in plan:
                    raise SystemExit("%s: %s does not use the index:\n%s" % (state, where, plan))
                order = [("n", "ascending"), ("i", "ascending"), ("t", "ascending")]
                with_index = ds.to_table(filter=where).sort_by(order)
                without = ds.scanner(filter=where, use_scalar_index=False).to_table().sort_by(order)
                if not with_index.select(["n", "i", "t"]).equals(without.select(["n", "i", "t"])):
                    raise SystemExit("%s: %s gives %d rows through the index, %d without" % (state, where, with_index.num_rows, without.num_rows))
                self.checks += 1
        done = subprocess.run([self.program, "lance", "verify", self.path], capture_output=True, text=True)
        report = json.loads(done.stdout) if done.returncode == 0 else {}
        if not report.get("ok") or report["not_checked"] or report["index_entries"] == 0:
            raise SystemExit("%s: lance verify: %s%s" % (state, done.stdout, done.stderr))

    def compact(self, target, remapped):
        """Ours, after rows were deleted: every index still covers every row."""
        self.open().delete("n %% 11 = %d" % self.rng.randrange(11))
        written = self.run("compact", str(target))
        if written != remapped:
            raise SystemExit("%d segments were written again, expected %d" % (written, remapped))
        ds = self.open()
        fragments = {f.fragment_id for f in ds.get_fragments()}
        if any(f.deletion_file() for f in ds.get_fragments()):
            raise SystemExit("deleted rows are left")
        for index in ds.describe_indices():
            covered = set().union(*(segment.fragment_ids for segment in index.segments))
            stats = ds.stats.index_stats(index.name)
            if covered != fragments or stats["num_unindexed_rows"] or stats["num_unindexed_fragments"]:
                raise SystemExit("%s covers %s of %s after compaction: %s" % (index.name, covered, fragments, stats))
        self.check("compacted by us to %d rows" % target)

    def life(self, stable):
        import lance
        lance.write_dataset(rows(self.rng, 6000), self.path, max_rows_per_file=2500, enable_stable_row_ids=stable)
        for column, kind in COLUMNS:
            made = self.run("build", column, kind)
            assert made["entries"] == 6000 and made["fragments"] == [0, 1, 2], made
            self.commit(made)
        self.check("built by us")
        # Ours hold row ids there, which need nothing.
        self.compact(3000, 0 if stable else len(COLUMNS))
        self.open().insert(rows(self.rng, 900))
        self.open().delete("n % 7 = 3")
        self.check("appended and deleted by them")
        for column, kind in COLUMNS[:4]:
            made = self.run("delta", column, kind)
            assert len(made["fragments"]) == 1, made
            self.commit(made)
        self.check("delta segments of ours")
        for column, kind in COLUMNS[:2]:
            made = self.run("optimize", column + "_idx")
            assert len(made["replaced"]) == 2 and made["entries"] == self.open().count_rows(), made
            self.commit(made)
        self.check("merged by us")
        self.open().optimize.optimize_indices()
        self.check("optimised by them")
        self.open().insert(rows(self.rng, 300))
        for column, kind in COLUMNS:
            made = self.run("optimize", column + "_idx")
            if made is not None:
                self.commit(made)
        self.check("their segments merged by us")
        self.open().optimize.compact_files()
        self.open().optimize.optimize_indices()
        self.check("compacted and optimised by them")
        self.open().drop_index("i_idx")
        self.open().create_scalar_index("i", "BTREE")
        self.open().drop_index("k_idx")
        self.open().create_scalar_index("k", "BITMAP")
        # Their BTree holds addresses in tables with stable row ids, too.
        self.compact(100000, 1 if stable else len(COLUMNS))


def main(release):
    build, program = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    work = tempfile.mkdtemp()
    try:
        for stable in (False, True):
            interop = Interop(build, program, os.path.join(work, "t%d.lance" % stable), seed)
            interop.life(stable)
            print("pylance %s, stable row ids %s: %d predicates agree" % (release.version, stable, interop.checks))
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    # Older releases cannot commit segments that others wrote.
    official_lance.run_with_each(main, official_lance.NEWEST)
