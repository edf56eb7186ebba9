#!/usr/bin/env python3
"""The include-graph check must be able to fail: an upward include and a DuckDB include outside sql/ are both named."""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("include_graph.py")


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True)
        return done.returncode, done.stderr


code, text = run({"json/a.h": '#include "pchronicle/base/status.h"\n'})
assert code == 0, text
code, text = run({"json/a.h": '#pragma once\n#include "pchronicle/model/document.h"\n'})
assert code == 1 and "a.h:2" in text and "must not include" in text, text
code, text = run({"catalog/a.cc": "#include <duckdb.hpp>\n"})
assert code == 1 and "only sql/" in text, text
