"""ADD-04: every diagnostic code that the program can give stands in docs/user/diagnostics.md, and no other does.

Codes are the string literals that calls of OnDiagnostic hand on; each code of the page must be a literal of the sources.
"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/user/diagnostics.md").read_text(encoding="utf-8")
    documented = set()
    for row in re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE):
        documented.update(re.findall(r"`([a-z_]+)`", row))
    literals, given = set(), set()
    for path in [*root.glob("pchronicle/**/*.cc"), *root.glob("pchronicle/**/*.h")]:
        if path.name.endswith(("_test.cc", "_test.h")):
            continue
        text = path.read_text(encoding="utf-8")
        literals.update(re.findall(r'"([a-z]+(?:_[a-z]+)*)"', text))
        given.update(re.findall(r'OnDiagnostic\(\s*[^;"]*?,\s*"([a-z_]+)"', text))
    errors = [f"{code} is given, but not documented" for code in sorted(given - documented)]
    errors += [f"{code} is documented, but nothing gives it" for code in sorted(documented - literals)]
    if not given or not documented:
        errors.append("no codes were found")
    print("\n".join(errors) if errors else f"{len(documented)} codes are documented, {len(given)} seen in calls")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
