"""Checks that docs/develop/contract.md tells the truth: every id it gives a test to stands in a test's name there.

A name is a GoogleTest name (`TEST(Mounts, ..._MNT04)`), a comment line of a text test (`# DSC-17: ...`) or the first line
of a script. With --find ID...
the tests that carry an id are printed instead. Standard library only.
"""

import argparse
import pathlib
import re
import sys

ID = r"[A-Z]{2,3}-?\d{2,3}a?"
ROW = re.compile(r"^\| `?([A-Z]{3}-\d{2}a?)`? \| (.+) \|$")
GTEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*\w+,\s*(\w+)", re.MULTILINE)


def ids_in(text):
    return {re.sub(r"^([A-Z]+)-?", r"\1-", found) for found in re.findall(rf"(?<![A-Z0-9])({ID})(?![0-9a-z])", text)}


def ids_of_tests(path):
    """Ids that stand in the names of one file's tests."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        names = text.splitlines()[:1]
    elif path.suffix == ".test":
        names = [line for line in text.splitlines() if line.startswith("#")]
    else:
        names = [name.replace("_", " ") for name in GTEST.findall(text)]
    return set().union(*map(ids_in, names)) if names else set()


def check(root):
    table = root / "docs/develop/contract.md"
    errors, rows = [], 0
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
        row = ROW.match(line)
        if not row:
            continue
        rows += 1
        for name in re.findall(r"`([^`]+)`", row.group(2)):
            path = root / name
            if not path.is_file():
                errors.append(f"{table.name}:{number}: there is no {name}")
            elif row.group(1) not in ids_of_tests(path):
                errors.append(f"{table.name}:{number}: no test in {name} is named after {row.group(1)}")
    if rows == 0:
        errors.append(f"{table.name}: no row of the table was understood")
    return errors


def test_files(root):
    return sorted([*root.glob("pchronicle/**/*_test.cc"), *root.glob("tests/**/*.test"), *root.glob("tests/structure/*.py")])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--find", nargs="+", default=[])
    arguments = parser.parse_args()
    if arguments.find:
        for path in test_files(arguments.root):
            for found in sorted(ids_of_tests(path) & set(arguments.find)):
                print(found, path.relative_to(arguments.root))
        return 0
    errors = check(arguments.root)
    print("\n".join(errors) if errors else "the contract table holds")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
