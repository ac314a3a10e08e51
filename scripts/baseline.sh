#!/usr/bin/env bash
# Trains a baseline from nothing, evaluates it on test seeds, and writes docs/results/baselines.md.
#     scripts/baseline.sh [recipe] [part]
# Recipes: pick_place (the default), stack, lohoravens. Parts: data, train, evaluate, page; without one, all of them.
# Every part goes on where it was stopped. SEEDS=0:20 VALIDATION=80000:80005 STEPS=100 TEST=100000:100005 make it short.
set -euo pipefail -o noglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

recipe=${1:-pick_place}
part=${2:-all}
out=${OUT:-records/baselines}/$recipe
bench=.venv/bin/vlm-bench
policy=(--policy vlm_bench_baselines.key_frame.policy:KeyFramePolicy)

case $recipe in
    pick_place | stack)
        tasks=vlmbench/$recipe seeds=0:1000
        view=(--cameras vlmbench) maps=() network=() runs=(seen:100000:100050 unseen:100000:100050)
        ;;
    lohoravens)
        tasks=lohoravens/pick_and_place seeds=0:900
        view=(--cameras lohoravens --size 640x480) maps=(--plot lohoravens --pixel 0.00625) network=(--widths 24,32,48,64)
        runs=(train:900:1000 test:100000:100050)
        ;;
    *) echo "There is no recipe $recipe. Choose pick_place, stack or lohoravens." >&2; exit 2 ;;
esac

data() {
    $bench generate --tasks "$tasks" --seeds "${SEEDS:-$seeds}" --cameras none --out "$out/bags/train"
    $bench generate --tasks "$tasks" --seeds "${VALIDATION:-80000:80025}" --cameras none --out "$out/bags/validation"
    for part in train validation; do
        [ -d "$out/maps/$part" ] || $bench export maps "$out/bags/$part" "$out/maps/$part" "${view[@]}" "${maps[@]}"
    done
}

train() {
    $bench train key-frame "$out/maps/train" --validation "$out/maps/validation" --steps "${STEPS:-20000}" "${network[@]}" --out "$out/trained"
}

evaluate() {
    weights=$out/trained/best.safetensors
    [ -e "$weights" ] || weights=vlm_bench_baselines/weights/$recipe.safetensors
    for run in "${runs[@]}"; do
        split=${run%%:*} seeds=${TEST:-${run#*:}}
        $bench evaluate "${policy[@]}" --policy-arg "checkpoint=$weights" --tasks "$tasks" --split "$split" --seeds "$seeds" \
            "${view[@]}" --workers 2 --out "$out/policy_$split.json"
        $bench evaluate --policy language_ignored --tasks "$tasks" --split "$split" --seeds "$seeds" \
            "${view[@]}" --workers 2 --out "$out/control_$split.json"
    done
}

page() {
    set +o noglob
    .venv/bin/python -m vlm_bench_tasks.pages.baselines_page --out docs/results/baselines.md "${OUT:-records/baselines}"/*/*.json
    set -o noglob
}

case $part in
    all) data; train; evaluate; page ;;
    data | train | evaluate | page) $part ;;
    *) echo "There is no part $part. Choose data, train, evaluate or page." >&2; exit 2 ;;
esac
