#!/usr/bin/env bash
# Plays test seeds of all tasks without beads and dirt in both engines, and sets them side by side on a page of docs/results.
#     scripts/engines.sh [policies]
# Without policies: the expert, and controls that solve something, so that there is an order to agree on. It goes on where it was stopped.
set -euo pipefail -o noglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

policies=${1:-oracle,language_ignored,random}
out=records/engines
mkdir -p "$out"

source scripts/rigid_tasks.sh

reports=()
for policy in ${policies//,/ }; do
    for number in "${!runs[@]}"; do
        read -r tasks axis split first <<<"${runs[number]}"
        for engine in pybullet mujoco; do
            report=$out/${policy}_${number}_$engine.json
            .venv/bin/vlm-bench evaluate --policy "$policy" --tasks "$tasks" --axis "$axis" --split "$split" \
                --seeds "$first:$((first + 10))" --engine "$engine" --workers 2 --out "$report"
            reports+=("$report")
        done
    done
done
.venv/bin/vlm-bench compare --across-engines "${reports[@]}" --page docs/results/engines.md
