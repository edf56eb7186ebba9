#!/usr/bin/env python3
"""Random tables of the official writer, in the form of the fixtures: random_tables.py OUT_DIR COUNT SEED SHARED.

Needs pylance (./dev setup --peers). SHARED is the folder with reference/lance/oracle.py, which gives the expected
cells. Schemas nest up to four levels; values are chosen so that every encoding of the default writer comes up.
"""
import decimal
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import official_lance  # noqa: E402


def scalar_type(r, pa):
    return r.choice([
        pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float16(),
        pa.float32(), pa.float64(), pa.bool_(), pa.bool_(), pa.string(), pa.string(), pa.string(), pa.large_string(),
        pa.binary(), pa.large_binary(), pa.binary(r.choice([1, 5, 16])), pa.date32(), pa.timestamp("us", "UTC"),
        pa.timestamp("ns"), pa.time32("ms"), pa.duration("s"), pa.decimal128(20, 2), pa.decimal256(50, 3),
    ])


def any_type(r, pa, depth, version):
    kind = r.random()
    if depth == 0 or kind < .4:
        return scalar_type(r, pa)
    if kind < .5:
        return pa.list_(r.choice([pa.float32(), pa.int32(), pa.uint8(), pa.bool_(), pa.float64()]), r.choice([1, 2, 3, 17, 100]))
    nullable = version == "2.0" or r.random() < .7
    if kind < .75:
        item = pa.field("item", any_type(r, pa, depth - 1, version), nullable)
        return pa.list_(item) if r.random() < .7 else pa.large_list(item)
    if kind < .8 and version == "2.2":
        return pa.map_(pa.string(), any_type(r, pa, depth - 1, version))
    return pa.struct([pa.field("m%d" % i, any_type(r, pa, depth - 1, version), r.random() < .8) for i in range(r.randrange(1, 4))])


class Values:
    """Makes values of one column: what it prefers stays the same, so that pages get an encoding of their own."""

    def __init__(self, r, nulls):
        self.r, self.nulls = r, nulls
        self.style = r.choice(["few", "runs", "small", "wide", "huge", "any", "same", "sorted"])
        self.words = ["".join(r.choice("abcdefghij klmno") for _ in range(r.randrange(2, 9))) for _ in range(40)]
        self.last = 0

    def number(self, low, high):
        r, s = self.r, self.style
        if s == "same": return 7
        if s == "few": return r.randrange(5)
        if s == "small": return r.randrange(100)
        if s in ("runs", "sorted"):
            if r.random() < (.03 if s == "runs" else .5): self.last = min(self.last + 1, high, 100)
            return self.last
        return r.randint(low, high)

    def text(self):
        r, s = self.r, self.style
        if s == "same": return "one text for all rows, longer than thirty-two bytes"
        if s in ("few", "runs"): return "level-%d" % self.number(0, 100)
        n = {"wide": r.randrange(30, 90), "huge": 9000 if r.random() < .01 else r.randrange(4)}.get(s, r.randrange(6))
        return " ".join(r.choice(self.words) for _ in range(n))

    def make(self, pa, t, nullable):
        r, p = self.r, pa.types
        if nullable and r.random() < self.nulls: return None
        if p.is_boolean(t): return r.random() < .5 if self.style != "same" else True
        if p.is_integer(t):
            bits = t.bit_width
            signed = p.is_signed_integer(t)
            low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2 ** bits - 1)
            return self.number(low, high)
        if p.is_float16(t):
            return float(r.randrange(64)) / 4
        if p.is_floating(t):
            return float(self.number(-1000, 1000)) + (r.random() if self.style == "any" else .5)
        if p.is_string(t) or p.is_large_string(t): return self.text()
        if p.is_fixed_size_binary(t): return r.randbytes(t.byte_width) if self.style != "same" else b"x" * t.byte_width
        if p.is_binary(t) or p.is_large_binary(t): return self.text().encode()[:r.randrange(1, 400)]
        if p.is_decimal(t): return decimal.Decimal(self.number(-10 ** 9, 10 ** 9)).scaleb(-2)
        if p.is_fixed_size_list(t): return [self.make(pa, t.value_type, t.value_field.nullable) for _ in range(t.list_size)]
        if p.is_map(t): return [("k%d" % i, self.make(pa, t.item_type, True)) for i in range(r.randrange(4))]
        if p.is_list(t) or p.is_large_list(t):
            n = 0 if r.random() < .2 else r.randrange(1, 5) if r.random() < .98 else r.randrange(300)
            return [self.make(pa, t.value_type, t.value_field.nullable) for _ in range(n)]
        if p.is_struct(t): return {f.name: self.make(pa, f.type, f.nullable) for f in t}
        raise SystemExit("no values for %s" % t)


def column(r, pa, field, rows):
    values = Values(r, r.choice([0, .05, .3, .9, 1]) if r.random() < .8 else .2)
    t, p = field.type, pa.types
    if p.is_temporal(t):
        return [values.number(0, 10 ** 6) if not field.nullable or r.random() >= values.nulls else None for _ in range(rows)]
    return [values.make(pa, t, field.nullable) for _ in range(rows)]


def temporal_inside(pa, t):
    return any(pa.types.is_temporal(t.field(i).type) or temporal_inside(pa, t.field(i).type) for i in range(t.num_fields))


def to_array(pa, field, values):
    if pa.types.is_temporal(field.type):
        return pa.array(values, pa.int32() if field.type.bit_width == 32 else pa.int64()).view(field.type)
    return pa.array(values, field.type)


def make(out, number, seed, pa, lance, oracle):
    r = random.Random("%d %d" % (seed, number))
    known = official_lance.Release(lance.__version__).file_versions
    version = r.choice(known[:1] + 2 * known[1:])
    fields = []
    while len(fields) < r.randrange(2, 7):
        t = any_type(r, pa, 4 if version != "2.0" else 2, version)
        if temporal_inside(pa, t):
            continue
        metadata = None
        if pa.types.is_primitive(t) or pa.types.is_string(t):
            scheme = r.choice([None, None, None, None, "zstd", "lz4"])
            metadata = {"lance-encoding:compression": scheme} if scheme and version != "2.0" else None
        fields.append(pa.field("c%d" % len(fields), t, version == "2.0" or r.random() < .85, metadata))
    rows = r.choice([1, 3, 63, 64, 65, 500, 1023, 1024, 1025, 3000])
    schema = pa.schema(fields)
    table = pa.table([to_array(pa, f, column(r, pa, f, rows)) for f in fields], schema=schema)
    folder = "%s/fixtures/lance/random_%d_%d_v%s" % (out, seed, number, version.replace(".", "_"))
    os.makedirs(folder)
    try:
        lance.write_dataset(table, folder + "/t.lance", data_storage_version=version)
        back = lance.dataset(folder + "/t.lance").to_table()
    except BaseException as error:  # the official library refuses or panics on some shapes
        print("random table %d: official library: %s" % (number, str(error).split("\n")[0][:200]), file=sys.stderr)
        import shutil
        shutil.rmtree(folder)
        return False
    columns = [oracle.cells(back.column(i)) for i in range(back.num_columns)]
    dump = oracle.dump if hasattr(oracle, "dump") else lambda v: json.dumps(v, ensure_ascii=False)
    with open(folder + "/expected.ndjson", "w") as file:
        file.write(json.dumps(back.column_names) + "\n")
        for row in zip(*columns):
            file.write(dump(list(row)) + "\n")
    with open(folder + "/README.md", "w") as file:
        file.write("Random table %d of seed %d, file version %s.\n\n%s\n" % (number, seed, version, schema))
    return True


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    out, count, seed, shared = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    sys.path.insert(0, shared + "/reference/lance")
    try:
        import lance
        import pyarrow as pa
        import oracle
    except ImportError as error:
        print("skipped: %s" % error, file=sys.stderr)
        sys.exit(77)
    made = sum(make(out, i, seed, pa, lance, oracle) for i in range(count))
    print("%d tables of pylance %s" % (made, lance.__version__))


if __name__ == "__main__":
    main()
