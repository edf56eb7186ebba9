#!/usr/bin/env python3
"""Branches and blobs that both libraries change in turn: branches_and_blobs.py EDIT_TABLE.

A branch of the official library gets rows, deletions, an index, a compaction and a clean-up from either side; each reads what
the other made, main stays as it was, and cleaning main leaves the branch whole. Blobs of ours lie in the same places as those
of the official writer (inline, packed, alone, by the same limits), are read by its blob interface, and come through updates
and compactions of both. Needs the peers of ./dev setup --peers; exit status 77 without them.
"""
import collections
import datetime
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import official_lance  # noqa: E402


def ours(command, table, *arguments, branch=""):
    done = subprocess.run([sys.argv[1], command, table, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "EDIT_BRANCH": branch})
    if done.returncode:
        raise SystemExit("ours %s %s on '%s': %s" % (command, arguments, branch, done.stderr))
    return int(done.stdout)


def expect(got, want, what):
    if got != want:
        raise SystemExit("%s: %r instead of %r" % (what, got, want))


def branches(work, release):
    import lance
    import pyarrow as pa
    path, source = work + "/t.lance", work + "/in.lance"
    table = lambda ids: pa.table({"id": pa.array(ids, pa.int64()), "name": pa.array(["n%d" % i for i in ids])})
    for stable in (False, True):
        shutil.rmtree(path, ignore_errors=True)
        lance.write_dataset(table(range(100)), path, data_storage_version="2.1", max_rows_per_file=40, enable_stable_row_ids=stable)
        lance.dataset(path).delete("id < 3")
        lance.dataset(path).create_scalar_index("id", "BTREE")
        main = lance.dataset(path).version
        lance.dataset(path).create_branch("side/a")
        rows = set(range(3, 100))

        def branch():
            dataset = lance.dataset(path)
            old = hasattr(dataset, "checkout_branch")
            return dataset.checkout_branch("side/a") if old else dataset.checkout_version(("side/a", None))

        def check(what):
            got = sorted(branch().to_table()["id"].to_pylist())
            expect(got, sorted(rows), "branch after %s" % what)
            expect(ours("count", path, "id", ">=", 0, branch="side/a"), len(rows), "our count after %s" % what)
            pivot = sorted(rows)[len(rows) // 2]
            expect(branch().count_rows("id < %d" % pivot), len([r for r in rows if r < pivot]), "index after %s" % what)
            ours("check", path, branch="side/a")
            expect(lance.dataset(path).version, main, "main's version after %s" % what)
            expect(lance.dataset(path).count_rows(), 97, "main's rows after %s" % what)

        def append(first, mine):
            shutil.rmtree(source, ignore_errors=True)
            lance.write_dataset(table(range(first, first + 20)), source, data_storage_version="2.1")
            ours("append", path, source, branch="side/a") if mine else branch().insert(table(range(first, first + 20)), mode="append")
            rows.update(range(first, first + 20))

        check("its creation")
        for turn, mine in enumerate((True, False, True, False)):
            who = "our " if mine else "their "
            append(200 + 100 * turn, mine)
            check(who + "append")
            ours("delete", path, "id", "<", 10 + 10 * turn, branch="side/a") if mine else branch().delete("id < %d" % (10 + 10 * turn))
            rows = {r for r in rows if r >= 10 + 10 * turn}
            check(who + "delete")
            ours("optimize", path, "id_idx", branch="side/a") if mine else branch().optimize.optimize_indices()
            check(who + "index")
            ours("compact", path, 1000, branch="side/a") if mine else branch().optimize.compact_files(materialize_deletions_threshold=0.0)
            check(who + "compaction")
            if turn == 1:
                ours("tag", path, "kept", branch().version, branch="side/a")
                kept, kept_rows = branch().version, sorted(rows)
        ours("cleanup", path, branch="side/a")
        check("our clean-up of it")
        expect(sorted(lance.dataset(path).checkout_version("kept").to_table()["id"].to_pylist()), kept_rows, "tag %d of the branch" % kept)
        # Main goes on and is cleaned; its files that the branch refers to stay.
        ours("delete", path, "id", ">=", 50)
        ours("compact", path, 1000)
        ours("cleanup", path)
        expect(sorted(branch().to_table()["id"].to_pylist()), sorted(rows), "branch after main was cleaned")
        expect(lance.dataset(path).count_rows(), 47, "main")


def payloads(path):
    import lance
    dataset = lance.dataset(path)
    taken = dataset.take_blobs("blob", indices=list(range(dataset.count_rows())))
    ids = dataset.to_table(columns=["id"])["id"].to_pylist()
    return {i: None if blob is None else blob.readall() for i, blob in zip(ids, taken)}


def kinds(path):
    import lance
    cells = lance.dataset(path).to_table(columns=["blob"])["blob"].to_pylist()
    return collections.Counter(None if c is None else c["kind"] for c in cells)


def blobs(work, limits):
    import lance
    import pyarrow as pa
    field = lance.blob_field("blob")
    field = field.with_metadata({**(field.metadata or {}), **{("lance-encoding:blob-" + k).encode(): str(v).encode() for k, v in limits.items()}})
    schema = pa.schema([pa.field("id", pa.int64(), False), field])
    dice = random.Random(5)
    inline = limits.get("inline-size-threshold", 65536)
    alone = limits.get("dedicated-size-threshold", 4194304)
    sizes = [None, 0, 1, inline - 1, inline, inline + 1, alone - 1, alone, alone + 1, None, inline + 7]
    make = lambda first: {first + i: None if n is None else dice.randbytes(n) for i, n in enumerate(sizes)}
    table = lambda rows: pa.table([pa.array(list(rows), pa.int64()), lance.blob_array(list(rows.values()))], schema=schema)
    theirs, path, source = work + "/theirs.lance", work + "/blobs.lance", work + "/more.lance"
    for folder in (theirs, path, source):
        shutil.rmtree(folder, ignore_errors=True)
    rows, more = make(0), make(100)
    lance.write_dataset(table(rows), theirs, data_storage_version="2.2")
    lance.write_dataset(table(more), source, data_storage_version="2.2")
    ours("create", path, theirs, "2.2")
    expect(payloads(path), rows, "blobs of ours")
    expect(kinds(path), kinds(theirs), "places of blobs")
    ours("append", path, source)
    rows.update(more)
    third = make(200)
    lance.dataset(path).insert(table(third), mode="append")
    rows.update(third)
    expect(payloads(path), rows, "appended by both")
    ours("delete", path, "id", "=", 5)
    lance.dataset(path).delete("id = 106")
    rows = {i: v for i, v in rows.items() if i not in (5, 106)}
    for mine in (True, False):
        ours("compact", path, 1000) if mine else lance.dataset(path).optimize.compact_files(materialize_deletions_threshold=0.0)
        expect(payloads(path), rows, "compacted by %s" % ("us" if mine else "them"))
        ours("check", path)
        last = rows.popitem()[0]
        ours("delete", path, "id", "=", last) if not mine else lance.dataset(path).delete("id = %d" % last)
    ours("cleanup", path)
    expect(payloads(path), rows, "cleaned by us")
    lance.dataset(path).cleanup_old_versions(datetime.timedelta(0))
    expect(payloads(path), rows, "cleaned by them")
    copy = work + "/copy.lance"
    shutil.rmtree(copy, ignore_errors=True)
    ours("create", copy, path, "2.2")
    expect(payloads(copy), rows, "read by us")
    return len(rows)


def main(release):
    work = tempfile.mkdtemp()
    done = []
    try:
        if release.branches:
            branches(work, release)
            done.append("branches")
        else:
            release.without("branches", "not known to the release")
        if release.number >= (14,):
            blobs(work, {"inline-size-threshold": 200, "dedicated-size-threshold": 5000})
            blobs(work, {})
            done.append("blobs")
        else:
            release.without("blobs of version 2", "not known to the release")
        release.report(" and ".join(done) or "nothing")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    official_lance.run_with_each(main)
