"""The releases of the official Lance library that `./dev setup --peers` installs, each in a Python environment of its own.

A script that compares with them ends in `run_with_each(main)`: it runs once under every release that is there, and `main`
gets the Release. The versions that took part are the last line of the output; exit status 77 without any of them.
"""
import importlib.metadata
import os
import re
import subprocess
import sys

PEERS = os.environ.get("PCHRONICLE_PEERS") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pchronicle-peers")
# Newest first; deps/peers.txt and deps/peers-<name>.txt say which versions these are.
NEWEST = ("bench",)
ENVIRONMENTS = NEWEST + ("lance-1", "lance-0")
INSIDE = "PCHRONICLE_OFFICIAL_LANCE"


class Release:
    """One installed release and what it can do."""

    def __init__(self, version):
        self.version = version
        self.number = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
        # Files of version 2.2 that releases 0.39 to 4 write are drafts, which nobody else reads.
        self.file_versions = ["2.0"] + ["2.1"] * (self.number >= (0, 38, 1)) + ["2.2"] * (self.number >= (6,))
        self.stable_row_ids = self.number >= (1,)
        self.branches = self.number >= (1,)
        self.lacking = {}

    def reads(self, file_version):
        return file_version in self.file_versions

    def without(self, what, why):
        """Notes what is left out with this release, for the report."""
        self.lacking.setdefault(what, why)

    def report(self, done):
        print("pylance %s: %s" % (self.version, done))
        for what, why in sorted(self.lacking.items()):
            print("  left out: %s (%s)" % (what, why))


def python_of(environment):
    return os.path.join(PEERS, environment, "bin/python")


def run_with_each(main, environments=ENVIRONMENTS):
    if os.environ.get(INSIDE):
        main(Release(importlib.metadata.version("pylance")))
        return
    there = [name for name in environments if os.path.exists(python_of(name))]
    if not there:
        print("skipped: no official library (./dev setup --peers)", file=sys.stderr)
        sys.exit(77)
    versions = []
    for name in there:
        ask = "import importlib.metadata; print(importlib.metadata.version('pylance'))"
        asked = subprocess.run([python_of(name), "-c", ask], capture_output=True, text=True)
        versions.append(asked.stdout.strip() or "unknown")
        done = subprocess.run([python_of(name)] + sys.argv, env={**os.environ, INSIDE: name})
        if done.returncode:
            sys.exit("%s: failed with pylance %s" % (os.path.basename(sys.argv[0]), versions[-1]))
    missing = [name for name in environments if name not in there]
    if missing:
        print("not installed: %s (./dev setup --peers)" % ", ".join(missing))
    print("with pylance %s" % ", ".join(versions))
