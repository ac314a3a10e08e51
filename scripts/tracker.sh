#!/usr/bin/env bash
# Judges ten test seeds of all tasks without beads and dirt by everything and by poses, and writes a page of docs/results.
#     scripts/tracker.sh [seeds]
# Each seed of a task is a success and a near miss. It goes on where it was stopped.
set -euo pipefail -o noglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seeds=${1:-10}
out=records/tracker.jsonl
source scripts/rigid_tasks.sh

for run in "${runs[@]}"; do
    read -r tasks axis split first <<<"$run"
    .venv/bin/vlm-bench agreement --tasks "$tasks" --axis "$axis" --split "$split" --seeds "$first:$((first + seeds))" --workers 2 \
        --out "$out" --page docs/results/tracker.md
done
