"""A property that fails must fail its test: what rc::check gives is used, by EXPECT_TRUE as a rule."""

import pathlib
import re
import sys


def unused(text):
    """Lines of calls that are statements of their own."""
    return [text.count("\n", 0, call.start(1)) + 1 for call in re.finditer(r"[;{}]\s*(rc::check\()", text)]


def main():
    root = pathlib.Path(sys.argv[1])
    if unused("TEST(A, B) {\n  rc::check([] {}); }") != [2] or unused("{ EXPECT_TRUE(rc::check([] {})); }"):
        sys.exit("the pattern does not find what it looks for")
    bad = [f"{path.relative_to(root)}:{line}: nobody looks at what rc::check gives"
           for folder in ("pchronicle", "tests", "fuzz") for path in sorted((root / folder).rglob("*.cc"))
           for line in unused(path.read_text(encoding="utf-8"))]
    sys.exit("\n".join(bad) or None)


if __name__ == "__main__":
    main()
