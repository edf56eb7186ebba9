#!/usr/bin/env bash
# Benchmarks: usage bench/run.sh PCHRONICLE_BINARY PEER_PYTHON [compare.py arguments]. With the shared benchmark beside the
# checkout (../shared/bench) it runs those scenarios next to the peers that PEER_PYTHON has.
set -euo pipefail
binary=$(realpath "$1")
python=$2
shift 2
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
shared=${PCHRONICLE_SHARED:-$here/../../shared}
if [ ! -f "$shared/bench/compare.py" ]; then
  echo "bench: no shared benchmark at $shared/bench; nothing to compare with" >&2
  exit 0
fi
[ -x "$python" ] || { echo "bench: no peers; run ./dev setup --peers to compare with them" >&2; python=python3; }
table=$(dirname "$binary")/table_bench
exec "$python" "$shared/bench/compare.py" --ours "$binary" --python "$(realpath -s "$python")" \
  --rust "$(dirname "$python")/pchronicle" $([ -x "$table" ] && printf -- '--ours-table %s' "$table") "$@"
