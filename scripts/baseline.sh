#!/usr/bin/env bash
# Trains a baseline from nothing, scores it on test seeds, and writes docs/results/baselines.md.
#     scripts/baseline.sh [recipe] [part...]
# Recipes: pick_place (the default), stack, lohoravens. Parts: data, train, score, ablate, long, page; without one, all but ablate and
# long. Every part goes on where it was stopped. Variables change a recipe: SEEDS, VALIDATION, STEPS and TEST (seeds to score), AXIS,
# LONG (how many seeds of each long task), OUT (folder for what is made), PAGE, and WEIGHTS (a file to score instead of what was trained).
set -euo pipefail -o noglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

recipe=${1:-pick_place}
out=${OUT:-records/baselines}/$recipe
bench=.venv/bin/vlm-bench

validation=80000:80025 maps=() steps=6000
case $recipe in
    pick_place | stack)
        tasks=vlmbench/$recipe seeds=0:1000
        view=(--cameras vlmbench) runs=(seen:100000:100050 unseen:100000:100050)
        ;;
    lohoravens) # the split train, whose colors no other has, ends at 999: its last hundred seeds are held out
        tasks=lohoravens/pick_and_place seeds=0:800 validation=800:820
        view=(--cameras lohoravens --size 640x480) maps=(--plot lohoravens --pixel 0.00625) runs=(train:900:950 test:100000:100050)
        ;;
    *) echo "There is no recipe $recipe. Choose pick_place, stack or lohoravens." >&2; exit 2 ;;
esac
axis=(--axis "${AXIS:-}")

# Data of other seeds or of another axis lie elsewhere, so that none are taken for these.
seeds=${SEEDS:-$seeds} validation=${VALIDATION:-$validation}
learn=${seeds/:/-}${AXIS:+-$AXIS} choose=${validation/:/-}${AXIS:+-$AXIS}

data() {
    $bench generate --tasks "$tasks" "${axis[@]}" --seeds "$seeds" --cameras none --out "$out/bags/$learn"
    $bench generate --tasks "$tasks" "${axis[@]}" --seeds "$validation" --cameras none --out "$out/bags/$choose"
    for part in "$learn" "$choose"; do
        [ -d "$out/maps/$part" ] || $bench export maps "$out/bags/$part" "$out/maps/$part" "${view[@]}" "${maps[@]}"
    done
}

train() {
    $bench train key-frame "$out/maps/$learn" --validation "$out/maps/$choose" --steps "${STEPS:-$steps}" --every 250 \
        --precision bfloat16 --threads 1 --out "$out/trained"
}

# Scores a policy in one split: name of the report, split, seeds, and the policy with its options.
scored() {
    $bench evaluate --tasks "$tasks" "${axis[@]}" --split "$2" --seeds "${TEST:-$3}" "${view[@]}" --workers 2 --out "$out/$1_$2.json" "${@:4}"
}

weights() {
    if [ -n "${WEIGHTS:-}" ]; then echo "$WEIGHTS"; elif [ -e "$out/trained/best.safetensors" ]; then echo "$out/trained/best.safetensors"
    else echo "vlm_bench_baselines/weights/$recipe.safetensors"; fi
}

learned() {
    scored "$1" "$2" "$3" --policy vlm_bench_baselines.key_frame.policy:KeyFramePolicy --policy-arg "checkpoint=$(weights)" "${@:4}"
}

score() {
    for run in "${runs[@]}"; do
        learned policy "${run%%:*}" "${run#*:}"
        scored control "${run%%:*}" "${run#*:}" --policy language_ignored
    done
}

# The ablations of the paper, and cameras that do not stand where they stood: the first split only.
ablate() {
    local split=${runs[0]%%:*} seeds=${TEST:-${runs[0]#*:}}
    learned blind "$split" "$seeds" --policy-arg blank=map
    learned mute "$split" "$seeds" --policy-arg blank=words
    learned moved "$split" "$seeds" --perturb camera_position=0.02,camera_angle=0.02
    if [ ! -d "$out/rehearsals" ]; then
        $bench evaluate --tasks "$tasks" "${axis[@]}" --split "$split" --seeds "$seeds" --policy oracle --record "$out/rehearsed" \
            --workers 2 --out "$out/rehearsed.json"
        $bench export maps "$out/rehearsed" "$out/rehearsals" "${view[@]}" "${maps[@]}"
    fi
    for given in position orientation; do
        learned "given_$given" "$split" "$seeds" --policy-arg "given=$given" --policy-arg "rehearsals=$out/rehearsals"
    done
}

# LoHoRavens' tasks A to K: in its own protocol, without a planner; and in the training's colors, where the planner by rules tells the
# steps one by one and a reporter tells it the truth (aids).
long() {
    if [ "$recipe" != lohoravens ]; then
        echo "Only lohoravens has long tasks that are steps of what was trained." >&2
        exit 2
    fi
    local count=${LONG:-10} policy=(--policy vlm_bench_baselines.key_frame.policy:KeyFramePolicy --policy-arg "checkpoint=$(weights)")
    $bench evaluate --protocol lohoravens --seeds "100000:$((100000 + count))" "${policy[@]}" --workers 2 --out "$out/protocol_test.json"
    $bench evaluate --tasks lohoravens --split train --seeds "900:$((900 + count))" "${view[@]}" --assist steps "${policy[@]}" \
        --workers 2 --out "$out/steps_train.json"
}

page() {
    set +o noglob
    .venv/bin/python -m vlm_bench_tasks.pages.baselines_page --out "${PAGE:-docs/results/baselines.md}" "${OUT:-records/baselines}"/*/*_*.json
    set -o noglob
}

parts=("${@:2}")
[ ${#parts[@]} -gt 0 ] || parts=(data train score page)
for part in "${parts[@]}"; do
    case $part in
        data | train | score | ablate | long | page) $part ;;
        *) echo "There is no part $part. Choose data, train, score, ablate, long or page." >&2; exit 2 ;;
    esac
done
