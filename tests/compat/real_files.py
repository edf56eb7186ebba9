#!/usr/bin/env python3
"""Real public trajectories give what a good product does with them: usage real_files.py BINARY SHARED_FOLDER. Exit 77 when absent."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Names the continuation pair had at its source: one refers to the other by path.
ORIGINAL_NAMES = {
    "atif-px-harbor-terminus2-continuation.json": "continuation/trajectory.json",
    "atif-px-harbor-terminus2-continuation-cont1.json": "continuation/trajectory.cont-1.json",
}
RUNS = {"openai-lf-v1-multimodal.jsonl": 24, "openai-tk-conversations.jsonl": 128,
        "atif-px-v17-embedded-subagents.json": 2, "atif-letta-cleanup.json": 2}
IGNORED = {"other-nat-exmp01-atof.jsonl": "ATOF event stream", "other-oh-resolver-output.jsonl": "not read yet: openhands"}


def run(binary, *arguments):
    env = dict(os.environ, PCHRONICLE_CONFIG="/dev/null")
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, env=env)
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stderr}"
    return done.stdout


def query(binary, folder, sql):
    return [json.loads(line) for line in run(binary, "query", folder, "--sql", sql, "--format", "jsonl").splitlines()]


def check_inventory(binary, folder, names):
    listing = json.loads(run(binary, "ls", folder, "--check", "--format", "json"))
    sources = {s["source_path"]: s for s in listing["sources"]}
    assert len(sources) == len(names), sorted(sources)
    for name, path in names.items():
        source = sources[path]
        if name in IGNORED:
            assert source["content_status"] == "ignored" and IGNORED[name] in source["reason"], source
            continue
        assert source["content_status"] == "ready", source
        assert source["runs"] == RUNS.get(name, 2 if name.startswith("openai-lf") else source["runs"]), source
        assert name in RUNS or source["runs"] >= 1, source


def check_rows(binary, folder):
    # Unlinked results are rows of their own, null content is not the empty text.
    unlinked = query(binary, folder, "SELECT count(*) AS n FROM observation_results WHERE _file_ = 'atif-px-harbor-terminus2-invalid-json.json' AND link <> 'id'")
    assert unlinked == [{"n": 4}], unlinked
    # Own steps and the producer's total are told apart; copied context counts in no own sum.
    totals = query(binary, folder, "SELECT own_prompt_tokens AS own, reported_prompt_tokens AS reported, copied_step_count AS copied FROM trajectories WHERE _file_ = 'continuation/trajectory.cont-1.json'")
    assert totals[0]["reported"] == 7802 and totals[0]["copied"] == 4, totals
    link = query(binary, folder, "SELECT continued_by FROM trajectories WHERE _file_ = 'continuation/trajectory.json'")
    assert link == [{"continued_by": "continuation/trajectory.cont-1.json"}], link
    # Token ids and log-probabilities are typed and complete.
    lanes = query(binary, folder, "SELECT count(*) AS n FROM steps WHERE _file_ = 'atif-px-harbor-terminus2-summarization.json' AND len(completion_token_ids) = len(logprobs)")
    assert lanes == [{"n": 7}], lanes
    # Nanoseconds survive.
    nanos = query(binary, folder, "SELECT count(*) AS n FROM steps WHERE _file_ = 'atif-nat-hermes-nemoflow.json' AND epoch_ns(timestamp) % 1000 <> 0")
    assert nanos[0]["n"] > 0, nanos
    # Epoch seconds are seconds.
    year = query(binary, folder, "SELECT min(year(timestamp)) AS y FROM steps WHERE _file_ = 'openai-dl-cybergym-0727.json'")
    assert 2020 <= year[0]["y"] <= 2030, year


def main():
    binary, real = sys.argv[1], pathlib.Path(sys.argv[2]) / "fixtures/real"
    if not real.is_dir():
        print(f"skipped: {real} is absent")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        names = {}
        for file in sorted(real.iterdir()):
            if file.suffix in (".json", ".jsonl"):
                names[file.name] = ORIGINAL_NAMES.get(file.name, file.name)
                target = pathlib.Path(work, names[file.name])
                target.parent.mkdir(exist_ok=True)
                shutil.copy(file, target)
        check_inventory(binary, work, names)
        check_rows(binary, work)
    return 0


sys.exit(main())
