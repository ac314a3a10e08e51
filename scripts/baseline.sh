#!/usr/bin/env bash
# Trains a baseline from nothing, scores it on test seeds, and writes a page with its scores.
#     scripts/baseline.sh [recipe] [part...]
# Recipes: pick_place (the default), stack, lohoravens. Parts: data, train, score, ablate, long, page; without one, all but ablate and
# long. Every part goes on where it was stopped. Variables change a recipe:
#     SEEDS, VALIDATION   first:last of the training and the validation data      AXIS   one axis of variation; else all
#     STEPS               batches                                                 RUN    name of a training; each has its own folder
#     TEST                first:last of the seeds to score; else those of the recipe
#     LONG                how many seeds of each long task
#     OUT                 folder for what is made                                 PAGE   the page
#     WEIGHTS             a file to score instead of what was trained
set -euo pipefail -o noglob
absolute() { realpath -m -- "$1"; } # before the folder changes: paths are the caller's
fail() { printf 'baseline: %s\n' "$@" >&2; exit 2; }
OUT=${OUT:+$(absolute "$OUT")} PAGE=${PAGE:+$(absolute "$PAGE")} WEIGHTS=${WEIGHTS:+$(absolute "$WEIGHTS")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

recipe=${1:-pick_place}
all=${OUT:-records/baselines} out=${OUT:-records/baselines}/$recipe run=${RUN:-first}
bench=.venv/bin/vlm-bench

validation=80000:80025 maps=() steps=6000
case $recipe in
    pick_place | stack)
        tasks=vlmbench/$recipe seeds=0:1000
        view=(--cameras vlmbench) runs=(seen:100000:100050 unseen:100000:100050)
        ;;
    lohoravens) # the split train, whose colors no other has, ends at 999: its last hundred seeds are held out
        tasks=lohoravens/pick_and_place seeds=0:600 validation=800:820
        view=(--cameras lohoravens --size 640x480) maps=(--plot lohoravens --pixel 0.00625) runs=(train:900:950 test:100000:100050)
        ;;
    data | train | score | ablate | long | page) fail "$recipe is a part. Name the recipe before it, for example: pick_place $recipe" ;;
    *) fail "There is no recipe $recipe. Choose pick_place, stack or lohoravens." ;;
esac
parts=("${@:2}")
[ ${#parts[@]} -gt 0 ] || parts=(data train score page)
for part in "${parts[@]}"; do
    case $part in
        data | train | score | ablate | page) ;;
        long) [ "$recipe" = lohoravens ] || fail 'Only lohoravens has long tasks that are steps of what was trained.' ;;
        *) fail "There is no part $part. Choose data, train, score, ablate, long or page." ;;
    esac
done
axis=(--axis "${AXIS:-}")

# Data of other seeds or of another axis lie elsewhere, so that none are taken for these.
seeds=${SEEDS:-$seeds} validation=${VALIDATION:-$validation} page=${PAGE:-$all/page.md}
learn=${seeds/:/-}${AXIS:+-$AXIS} choose=${validation/:/-}${AXIS:+-$AXIS}
if [ -e "$page" ] && ! grep -q '^# Learned baselines' "$page"; then
    fail "$page is there already and is no page of baselines. Name another one: PAGE=FILE"
fi

data() {
    $bench generate --tasks "$tasks" "${axis[@]}" --seeds "$seeds" --cameras none --out "$out/bags/$learn"
    $bench generate --tasks "$tasks" "${axis[@]}" --seeds "$validation" --cameras none --out "$out/bags/$choose"
    for part in "$learn" "$choose"; do
        [ -d "$out/maps/$part" ] || $bench export maps "$out/bags/$part" "$out/maps/$part" "${view[@]}" "${maps[@]}"
    done
}

train() {
    $bench train key-frame "$out/maps/$learn" --validation "$out/maps/$choose" --steps "${STEPS:-$steps}" --every 250 \
        --precision bfloat16 --threads 1 --out "$out/$run/trained"
}

# Scores a policy in one split: name of the report, split, seeds, and the policy with its options.
scored() {
    $bench evaluate --tasks "$tasks" "${axis[@]}" --split "$2" --seeds "${TEST:-$3}" "${view[@]}" --workers 2 \
        --out "$out/$run/$1_$2.json" "${@:4}"
}

weights() {
    local trained="$out/$run/trained/best.safetensors"
    if [ -n "$WEIGHTS" ]; then echo "$WEIGHTS"; elif [ -e "$trained" ]; then echo "$trained"
    else fail "There are no weights in $out/$run/trained. Train first, or name a file: WEIGHTS=vlm_bench_baselines/weights/$recipe.safetensors"; fi
}

policy() {
    local file
    file=$(weights) || exit
    learned=(--policy vlm_bench_baselines.key_frame.policy:KeyFramePolicy --policy-arg "checkpoint=$file")
}

score() {
    policy
    for each in "${runs[@]}"; do
        scored policy "${each%%:*}" "${each#*:}" "${learned[@]}"
        scored control "${each%%:*}" "${each#*:}" --policy language_ignored
    done
}

# The ablations of the paper, and cameras that do not stand where they stood: the first split only.
ablate() {
    policy
    local split=${runs[0]%%:*} seeds=${TEST:-${runs[0]#*:}} told
    told=$out/rehearsals/$split-${seeds/:/-}${AXIS:+-$AXIS}
    scored blind "$split" "$seeds" "${learned[@]}" --policy-arg blank=map
    scored mute "$split" "$seeds" "${learned[@]}" --policy-arg blank=words
    scored moved "$split" "$seeds" "${learned[@]}" --perturb camera_position=0.02,camera_angle=0.02
    if [ ! -d "$told" ]; then
        $bench evaluate --tasks "$tasks" "${axis[@]}" --split "$split" --seeds "$seeds" --policy oracle --record "$told-bags" \
            --workers 2 --out "$told.json"
        $bench export maps "$told-bags" "$told" "${view[@]}" "${maps[@]}"
    fi
    for given in position orientation; do
        scored "given-$given" "$split" "$seeds" "${learned[@]}" --policy-arg "given=$given" --policy-arg "rehearsals=$told"
    done
}

# LoHoRavens' tasks A to K: in its own protocol, without a planner; and in the training's colors, where the planner by rules tells the
# steps one by one and a reporter tells it the truth (aids).
long() {
    policy
    local count=${LONG:-10}
    $bench evaluate --protocol lohoravens --seeds "100000:$((100000 + count))" "${learned[@]}" --workers 2 --out "$out/$run/protocol_test.json"
    $bench evaluate --tasks lohoravens --split train --seeds "900:$((900 + count))" "${view[@]}" --assist steps "${learned[@]}" \
        --workers 2 --out "$out/$run/steps_train.json"
}

page() {
    set +o noglob
    .venv/bin/python -m vlm_bench_tasks.pages.baselines_page --out "$page" "$all"/*/"$run"/*_*.json
    set -o noglob
    echo "page: $page"
}

for part in "${parts[@]}"; do $part; done
