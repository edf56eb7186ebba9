#!/usr/bin/env python3
"""Runs every `$ pchronicle ...` line of the documentation: usage docs_commands.py BINARY. Exit 1 names those that fail."""
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands():
    for page in sorted(ROOT.glob("docs/**/*.md")):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            if line.startswith("$ pchronicle "):
                yield f"{page.relative_to(ROOT)}:{number}", shlex.split(line)[2:]


def main():
    env = dict(os.environ, PCHRONICLE_CONFIG="/dev/null")
    failed = total = 0
    for place, arguments in commands():
        total += 1
        done = subprocess.run([sys.argv[1], *arguments], cwd=ROOT / "demo", env=env, capture_output=True, text=True)
        if done.returncode != 0 or not done.stdout:
            failed += 1
            print(f"{place}: exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    if total == 0:
        print("no command found in docs/", file=sys.stderr)
        return 1
    return 1 if failed else 0


sys.exit(main())
