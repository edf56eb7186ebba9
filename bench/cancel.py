"""How long a query takes to end after Ctrl-C: `bench/cancel.py build/release/pchronicle [runs]`.

Each case is interrupted at a few moments; the largest wait is what counts (issue: 200 ms). Standard library only.
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

DELAYS = [0.1, 0.3, 0.7, 1.5]


def write_data(folder):
    step = {"step_id": 1, "source": "user", "message": "a message of some words to be read, sorted and grouped"}
    head = '{"schema_version":"ATIF-v1.4","session_id":"%s","agent":{"name":"a","version":"1"},"steps":['
    line = head % "s" + ",".join([json.dumps(step)] * 50) + "]}\n"
    (folder / "lines").mkdir()
    with open(folder / "lines/a.jsonl", "w", encoding="utf-8") as out:
        for _ in range(100):
            out.write(line * 1000)
    (folder / "giant").mkdir()
    with open(folder / "giant/a.json", "w", encoding="utf-8") as out:
        out.write(head % "g" + '{"step_id":1,"source":"user","message":"')
        for _ in range(800):
            out.write("x" * (1 << 20))
        out.write('"}]}')


def interrupted(command, delay):
    """Seconds from the signal to the end; None when the command was done before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    if process.poll() is not None:
        return None
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    code = process.wait()
    waited = time.monotonic() - begin
    if code not in (0, 130):
        sys.exit(f"exit {code}: {command}")
    return waited if code == 130 else None


def main():
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_data(folder)
        cases = {
            "scan of lines": ("lines", "SELECT sum(length(message_text)) FROM steps"),
            "giant value": ("giant", "SELECT length(message_text) FROM steps"),
            "sort": ("lines", "SELECT md5(range::VARCHAR) AS h FROM range(1000000000) ORDER BY h"),
            "group": ("lines", "SELECT count(*) FROM (SELECT DISTINCT range % 50000000 FROM range(10000000000))"),
            "join": ("lines", "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"),
            "output": ("lines", "SELECT message_text, range FROM steps, range(100)"),
            "run tree": ("lines", "SELECT count(*) FROM run_tree"),
        }
        for label, (dataset, sql) in cases.items():
            command = [program, "query", str(folder / dataset), "--sql", sql, "--timeout", "1h"]
            command += ["--max-output-rows", "0", "--max-output-bytes", "0"]
            waits = [interrupted(command, delay) for delay in DELAYS for _ in range(runs)]
            seen = sorted(wait for wait in waits if wait is not None)
            text = f"{len(seen)} interrupted, largest {seen[-1] * 1000:.0f} ms" if seen else "done before"
            print(f"{label:16} {text}", flush=True)


if __name__ == "__main__":
    main()
