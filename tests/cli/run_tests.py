"""Runs CLI tests written as text. Standard library only.

A file holds cases. Each starts with `$ COMMAND`, run by bash in a fresh folder that has a copy of data/ and
`pchronicle` on the PATH; lines before it that start with `#` say what it proves. Then, in any order:

    exit N          expected exit status (default 0)
    stdout          the lines up to `end` are the whole expected stdout (default: empty)
    stderr          the same for stderr (default: not checked)
    tty             stdout and stderr are one terminal of 100 columns; only `stdout` is checked
    keep            the next case runs in the same folder

In expected lines `[..]` stands for any characters and a line `...` for any number of lines.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios


class Case:
    def __init__(self, line, command):
        self.line = line
        self.command = command
        self.exit = 0
        self.stdout = []
        self.stderr = None
        self.tty = False
        self.keep = False


def parse(path):
    cases = []
    block = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if block is not None:
            if line == "end":
                block = None
            else:
                block.append(line)
        elif line.startswith("$ "):
            cases.append(Case(number, line[2:]))
        elif line.startswith("> "):
            cases[-1].command += "\n" + line[2:]
        elif line.startswith("exit "):
            cases[-1].exit = int(line[5:])
        elif line == "stdout":
            block = cases[-1].stdout
        elif line == "stderr":
            block = cases[-1].stderr = []
        elif line == "tty":
            cases[-1].tty = True
        elif line == "keep":
            cases[-1].keep = True
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path}:{number}: not understood: {line}")
    if block is not None:
        sys.exit(f"{path}: a block has no `end`")
    return cases


def pattern(lines):
    out = ""
    for line in lines:
        if line == "...":
            out += r"(?:[^\n]*\n)*?"
        else:
            out += ".*?".join(re.escape(piece) for piece in line.split("[..]")) + r"\n"
    return re.compile(out)


def matches(lines, text):
    if text and not text.endswith("\n"):
        text += "\n"
    return pattern(lines).fullmatch(text) is not None


def run_on_terminal(command, folder, environment):
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=secondary, stderr=secondary, close_fds=True)
    os.close(secondary)
    out = b""
    while True:
        try:
            piece = os.read(primary, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(primary)
    return process.wait(), out.decode("utf-8", "surrogateescape").replace("\r\n", "\n"), ""


def run(case, folder, environment):
    if case.tty:
        return run_on_terminal(case.command, folder, environment)
    done = subprocess.run(["bash", "-c", case.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)
    return (done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
            done.stderr.decode("utf-8", "surrogateescape"))


def make_environment(binary, folder):
    environment = {"PATH": f"{binary.parent}:{os.environ['PATH']}", "HOME": str(folder / "home"), "TERM": "xterm",
                   "LC_ALL": "C.UTF-8", "TZ": "America/Chicago"}
    for name in os.environ:
        if name.startswith(("ASAN_", "UBSAN_", "TSAN_", "LSAN_")):
            environment[name] = os.environ[name]
    return environment


def show(title, text):
    print(f"  --- {title}")
    for line in text.splitlines():
        print("  " + line.encode("utf-8", "backslashreplace").decode("utf-8"))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--binary", type=pathlib.Path, required=True)
    arguments.add_argument("files", nargs="+", type=pathlib.Path)
    options = arguments.parse_args()
    data = pathlib.Path(__file__).resolve().parent / "data"
    failed = total = 0
    for path in options.files:
        folder = None
        for case in parse(path):
            if folder is None:
                folder = pathlib.Path(tempfile.mkdtemp(prefix="pchronicle-cli-"))
                (folder / "home").mkdir()
                shutil.copytree(data, folder / "data", symlinks=True)
            status, stdout, stderr = run(case, folder, make_environment(options.binary.resolve(), folder))
            total += 1
            problems = []
            if status != case.exit:
                problems.append(f"exit {status}, expected {case.exit}")
            if not matches(case.stdout, stdout):
                problems.append("stdout differs")
            if case.stderr is not None and not case.tty and not matches(case.stderr, stderr):
                problems.append("stderr differs")
            if problems:
                failed += 1
                print(f"{path}:{case.line}: {', '.join(problems)}\n  $ {case.command}")
                show("stdout", stdout)
                show("stderr", stderr)
            if not case.keep:
                shutil.rmtree(folder)
                folder = None
        if folder is not None:
            shutil.rmtree(folder)
    print(f"{total - failed} of {total} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
