#!/usr/bin/env python3
"""Keeps the transcript in README.md true: usage update_readme.py BINARY [--check]. Writes it, or fails when it differs."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- demo:begin -->\n", "<!-- demo:end -->"


def main():
    binary = sys.argv[1]
    done = subprocess.run([str(ROOT / "demo/run.sh"), binary], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"demo/run.sh failed: {done.stdout[-500:]}{done.stderr[-500:]}")
    readme = ROOT / "README.md"
    text = readme.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    wanted = head + BEGIN + "```\n" + done.stdout.strip("\n") + "\n```\n" + END + tail
    if "--check" in sys.argv:
        if wanted != text:
            sys.exit("the transcript in README.md is not what the demo prints; run demo/update_readme.py BINARY")
    else:
        readme.write_text(wanted)


main()
