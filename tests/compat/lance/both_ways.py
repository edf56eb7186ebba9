#!/usr/bin/env python3
"""Files in both directions: both_ways.py TEST_LANCE_FILES REWRITE_FILE SHARED [COUNT] [SEED].

Random tables of the official writer must read as the official reader reads them (test_lance_files); their columns,
written by our writer, must read the same through the official reader, and so must blobs in a table whose data file ours
replaces. Every release writes and reads the file versions that it knows. Needs the peers of ./dev setup --peers; exit
status 77 without them.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import official_lance  # noqa: E402


def loses_rows(array, in_list=False):
    """Release 1.0.4 loses rows of lists with wide or without any values, also of its own files where it writes such pages."""
    import pyarrow as pa
    kind = array.type
    wide = pa.types.is_fixed_size_list(kind) or pa.types.is_decimal256(kind)
    if in_list and (wide or array.null_count == len(array)):
        return True
    if pa.types.is_struct(kind):
        return any(loses_rows(array.field(i), in_list) for i in range(kind.num_fields))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return loses_rows(array.flatten(), True)
    return False


def rewritten(rewrite, folder, work, release):
    """Compares our file with theirs; gives the number of files compared."""
    import lance
    from lance.file import LanceFileReader
    theirs = lance.dataset(folder + "/t.lance")
    compared = 0
    for path in glob.glob(folder + "/t.lance/data/*.lance"):
        for minor in "12":
            if not release.reads("2." + minor):
                release.without("files 2.%s of ours" % minor, "not known to the release")
                continue
            out = work + "/ours.lance"
            done = subprocess.run([rewrite, path, out, minor], capture_output=True, text=True)
            if done.returncode:
                raise SystemExit("%s: %s" % (folder, done.stderr))
            names = done.stdout.split()
            if not names:
                continue
            want = theirs.to_table(columns=names)
            if release.number < (6,):
                bad = [name for name in names if loses_rows(want.column(name).combine_chunks())]
                names = [name for name in names if name not in bad]
                if bad:
                    release.without("lists of wide or of only null items", "the release loses rows of them")
                if not names:
                    continue
            table = LanceFileReader(out, columns=names).read_all().to_table()
            for name in names:
                a, b = table.column(name).combine_chunks(), want.column(name).combine_chunks()
                if not a.equals(b) and a.to_pylist() != b.to_pylist() and str(a.to_pylist()) != str(b.to_pylist()):
                    raise SystemExit("%s: column %s differs in 2.%s" % (folder, name, minor))
            taken = LanceFileReader(out, columns=names).take_rows([0, table.num_rows // 2] if table.num_rows > 2 else [0]).to_table()
            if taken.num_rows < 1:
                raise SystemExit("%s: take gave nothing" % folder)
            compared += 1
    return compared


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def blobs_rewritten(rewrite, table, minor, work):
    """Our data file in the place of the official one: the manifest says its size, else nothing differs."""
    import lance
    ours = work + "/blobs.lance"
    shutil.rmtree(ours, ignore_errors=True)
    shutil.copytree(table, ours)
    subprocess.run(["chmod", "-R", "u+w", ours], check=True)
    data, = glob.glob(ours + "/data/*.lance")
    manifest, = glob.glob(ours + "/_versions/*.manifest")
    subprocess.run([rewrite, data, work + "/blobs.out", minor], check=True, stdout=subprocess.DEVNULL)
    old, new = varint(os.path.getsize(data)), varint(os.path.getsize(work + "/blobs.out"))
    with open(manifest, "rb") as file:
        content = file.read()
    assert len(old) == len(new) and old in content, "sizes of another length: choose another table"
    with open(manifest, "wb") as file:
        file.write(content.replace(old, new))
    shutil.move(work + "/blobs.out", data)
    shutil.rmtree(data[:-len(".lance")], ignore_errors=True)

    def payloads(path):
        dataset = lance.dataset(path)
        taken = dataset.take_blobs("blob", indices=list(range(dataset.count_rows())))
        return [None if blob is None else blob.readall() for blob in taken]
    nulls = [[value is None for value in lance.dataset(path).to_table()["blob"].to_pylist()] for path in (table, ours)]
    if payloads(table) != payloads(ours) or nulls[0] != nulls[1]:
        raise SystemExit("%s: blobs differ in 2.%s" % (table, minor))


def main(release):
    tests, rewrite, shared = sys.argv[1:4]
    count = sys.argv[4] if len(sys.argv) > 4 else "40"
    seed = sys.argv[5] if len(sys.argv) > 5 else "1"
    work = tempfile.mkdtemp()
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        made = subprocess.run([sys.executable, here + "/random_tables.py", work, count, seed, shared], capture_output=True, text=True)
        if made.returncode:
            sys.exit(made.stderr)
        subprocess.run([tests, "--gtest_brief=1"], env={**os.environ, "PCHRONICLE_SHARED": work}, check=True)
        ours = sum(rewritten(rewrite, folder, work, release) for folder in sorted(glob.glob(work + "/fixtures/lance/random_*")))
        for name, minor in (("lance14_blob_v1", "1"), ("lance14_blob_v1", "2"), ("lance14_blob_v2", "2")):
            if release.number >= (14,):
                blobs_rewritten(rewrite, "%s/data/%s/t.lance" % (here, name), minor, work)
            else:
                release.without("blobs of ours in a table of 14", "the table is of a newer release")
        release.report("%s tables read, %d files of ours read by it" % (made.stdout.split()[0], ours))
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    if not os.path.exists(sys.argv[3] + "/reference/lance/oracle.py"):
        print("skipped: no shared reference", file=sys.stderr)
        sys.exit(77)
    official_lance.run_with_each(main)
