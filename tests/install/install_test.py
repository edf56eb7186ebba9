#!/usr/bin/env python3
"""Installs a build into a prefix that is then moved, and uses what is there: the program, the library through CMake
and through pkg-config. usage: install_test.py --build DIR --source DIR --compiler CXX [--sanitize LIST]"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PUBLIC_HEADERS = {
    "pchronicle/pchronicle.h",
    "pchronicle/base/check.h",
    "pchronicle/base/result.h",
    "pchronicle/base/status.h",
    "pchronicle/columnar/arrow_abi.h",
}
# What a program may find in libpchronicle.so: the members of its public classes.
PUBLIC_SYMBOL = re.compile(r"^pchronicle::(Snapshot|Cancellation|Status|StatusCodeName|Version|internal::CheckFailed)\b")


def clean_environment():
    """Nothing that would help to find libraries; the sanitizers' options stay."""
    kept = ("PATH", "HOME", "TMPDIR", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
    return {name: os.environ[name] for name in kept if name in os.environ}


def run(*command, env=None, cwd="/"):
    done = subprocess.run([str(part) for part in command], env=env or clean_environment(), cwd=cwd,
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def check(condition, message):
    if not condition:
        sys.exit(f"install test: {message}")


def check_tree(prefix, version):
    include = prefix / "include"
    headers = {str(path.relative_to(include)) for path in include.rglob("*.h")}
    check(headers == PUBLIC_HEADERS, f"installed headers are {sorted(headers)}")
    for header in headers:
        included = re.findall(r'#\s*include\s*[<"]([^>"]+)[>"]', (include / header).read_text())
        foreign = [name for name in included if "/" in name and name not in PUBLIC_HEADERS]
        check(not foreign, f"{header} includes {foreign}")
    library = prefix / "lib" / f"libpchronicle.so.{version}"
    symbols = run("nm", "-DC", "--defined-only", library).splitlines()
    names = [line.split(maxsplit=2)[2] for line in symbols if line.split(maxsplit=2)[1] != "A"]
    hidden = [name for name in names if not PUBLIC_SYMBOL.match(name)]
    check(names and not hidden, f"libpchronicle.so also shows {hidden[:5]}")
    for path in (prefix / "share/doc/pchronicle/LICENSE", prefix / "lib/pchronicle/libduckdb.so"):
        check(path.is_file(), f"{path} is missing")


def check_no_place(prefix, places):
    """Texts that name the build or the first prefix would break a tree that moves."""
    for path in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc"), *prefix.rglob("*.h")]:
        for place in places:
            check(str(place) not in path.read_text(), f"{path} mentions {place}")
    for library in (prefix / "bin/pchronicle", *prefix.rglob("*.so")):
        paths = re.findall(r"R(?:UN)?PATH.*\[(.*)\]", run("readelf", "-d", library))
        check(all(path == "$ORIGIN" for path in paths), f"{library} looks for libraries in {paths}")


def check_program(prefix, data, version):
    program = prefix / "bin/pchronicle"
    check(run(program, "--version").strip().endswith(version), "bin/pchronicle version")
    rows = run(program, "query", data, "--errors", "report", "--sql", "SELECT count(*) AS n FROM tool_calls")
    check(rows == '{"n":16}\n', f"bin/pchronicle query printed {rows!r}")


OTHER_MODULE = """extern "C" { extern const char pchronicle_sql_version[]; const char pchronicle_sql_version[] = "9.9.9";
void* pchronicle_sql_open(const void*, void*) { __builtin_trap(); } }"""
OTHER_DUCKDB = """namespace duckdb { struct DuckDB { static const char* SourceID(); };
const char* DuckDB::SourceID() { return "0123456789"; } }"""


def check_foreign_libraries(prefix, folder, compiler, flags):
    """A module of another version, and a DuckDB of another build, are refused before anything of them is used."""
    for text, variable, message in ((OTHER_MODULE, "PCHRONICLE_SQL_MODULE", "is the SQL engine of pChronicle 9.9.9, this is"),
                                    (OTHER_DUCKDB, "LD_PRELOAD", "has loaded DuckDB v1.5.6 0123456789")):
        if variable == "LD_PRELOAD" and flags:  # the sanitizers' runtime has to come first
            continue
        source, library = folder / "other.cc", folder / f"other_{variable}.so"
        source.write_text(text)
        run(compiler, "-shared", "-fPIC", *flags.split(), source, "-o", library)
        done = subprocess.run([prefix / "bin/pchronicle", "query", folder, "--sql", "SELECT 1"], capture_output=True,
                              text=True, env=dict(clean_environment(), **{variable: str(library)}))
        check(done.returncode in (1, 2) and message in done.stderr, f"{variable}: {done.returncode}: {done.stderr}")


def build_with_cmake(source, prefix, folder, compiler, flags):
    run("cmake", "-G", "Ninja", "-S", source / "examples", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={flags}")
    run("cmake", "--build", folder)
    return folder / "tool_calls"


def build_with_pkg_config(source, prefix, folder, compiler, flags, version):
    env = dict(clean_environment(), PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    check(run("pkg-config", "--modversion", "pchronicle", env=env).strip() == version, "pkg-config --modversion")
    options = run("pkg-config", "--cflags", "--libs", "pchronicle", env=env).split()
    program = folder / "tool_calls_pkg_config"
    run(compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", *flags.split(), source / "examples/tool_calls.cc",
        *options, f"-Wl,-rpath,{prefix / 'lib'}", "-o", program)
    return program


def check_page(source, expected):
    """docs/user/cpp.md shows the example as it is, and what it prints."""
    page = (source / "docs/user/cpp.md").read_text()
    check(f"```cpp\n{(source / 'examples/tool_calls.cc').read_text()}```" in page,
          "docs/user/cpp.md does not hold examples/tool_calls.cc")
    check(f"```cmake\n{(source / 'examples/CMakeLists.txt').read_text()}```" in page,
          "docs/user/cpp.md does not hold examples/CMakeLists.txt")
    check(f"```\n{expected}```" in page, f"docs/user/cpp.md does not hold what the example prints:\n{expected}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--sanitize", default="")
    arguments = parser.parse_args()
    source = arguments.source
    version = (source / "VERSION").read_text().strip()
    flags = f"-fsanitize={arguments.sanitize}" if arguments.sanitize else ""
    data = source / "demo/data"
    with tempfile.TemporaryDirectory(prefix="pchronicle-install-") as text:
        folder = pathlib.Path(text).resolve()
        run("cmake", "--install", arguments.build, "--prefix", folder / "first")
        prefix = folder / "moved here"
        os.rename(folder / "first", prefix)
        check_tree(prefix, version)
        check_no_place(prefix, [folder / "first", arguments.build])
        check_program(prefix, data, version)
        check_foreign_libraries(prefix, folder, arguments.compiler, flags)

        question = (data, "chat/pairs.jsonl", "pair-1")
        program = build_with_cmake(source, prefix, folder / "example", arguments.compiler, flags)
        printed = run(program, *question)
        check_page(source, printed)
        # A blank in a prefix is more than pkg-config's users can split.
        shutil.move(prefix, folder / "again")
        prefix = folder / "again"
        other = build_with_pkg_config(source, prefix, folder, arguments.compiler, flags, version)
        check(run(other, *question) == printed, "the two builds of the example print different things")

        # The program built against the first place finds everything where it is now.
        env = dict(clean_environment(), LD_LIBRARY_PATH=str(prefix / "lib"))
        check(run(program, *question, env=env) == printed, "the example does not run after a move")


if __name__ == "__main__":
    main()
