#!/usr/bin/env bash
# The main job on the bundled sample data: usage demo/run.sh PCHRONICLE_BINARY. What it prints is in README.md.
set -euo pipefail
binary=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
export PCHRONICLE_CONFIG=/dev/null

step() {
  printf '\n# %s\n' "$1"
  shift
  printf '$ pchronicle'
  local word
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_./=-]*) printf ' "%s"' "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$binary" --log-level warn "$@" 2>&1
}

step "What is in this folder? Every file gets an honest line." \
  ls data --check --format table
step "How did the runs end? Rewards come from files beside the trajectories, unknown stays empty." \
  query data --errors report --format table --sql \
  "SELECT _file_, session_id, agent_model_name AS model, status, success, own_prompt_tokens AS tokens FROM trajectories ORDER BY _file_, session_id"
step "Which tools are used, and how often do they report an error?" \
  query data --errors report --format table --sql \
  "SELECT function_name, count(*) AS calls, count(DISTINCT document_id) AS runs, count(*) FILTER (result_text LIKE 'Error%') AS errors FROM tool_calls GROUP BY ALL ORDER BY calls DESC, function_name"
step "What did the agents say last?" \
  query data --errors report --format table --sql \
  "SELECT session_id, model_name, message_text FROM steps WHERE source = 'agent' AND message_text <> '' QUALIFY row_number() OVER (PARTITION BY _file_, document_id ORDER BY turn_ordinal DESC) = 1 ORDER BY _file_, session_id LIMIT 8"

cat <<'TEXT'

# What to try next
  pchronicle show demo/data refund-118          read one run as text
  pchronicle stats demo/data                    counts, and what could not be read
  pchronicle query YOUR_FOLDER --sql "DESCRIBE steps"
  pchronicle onboard                            a guided tour
TEXT
