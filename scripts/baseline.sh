#!/usr/bin/env bash
# Trains a baseline from nothing, scores it on test seeds, and writes a page with its scores.
#     scripts/baseline.sh [recipe] [part...]
# Recipes: pick_place (the default), stack and lohoravens for the key-frame policy; open_drawer and clevrskills for the policy like BC-Z.
# Parts: data, train, score, ablate, long, page; without one, all but ablate and long. Every part goes on where it was stopped.
# Variables change a recipe:
#     SEEDS, VALIDATION   first:last of the training and the validation data, the last excluded; AXIS: one axis of variation, else all
#     STEPS               batches                                                 RUN    name of a training; each has its own folder
#     TRAIN               further options of vlm-bench train, such as '--seed 1'
#     TEST                first:last of the seeds to score; else those of the recipe
#     BLANK               words or map: the key-frame policy learns and plays without them; name another RUN
#     LONG                how many seeds of each long task                        WORKERS   processes that play; else 2
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

validation=80000:80025 learner=key-frame more=() steps=6000 splits=() prompt=() lessons=
case $recipe in
    pick_place | stack)
        tasks=vlmbench/$recipe seeds=0:1000
        view=(--cameras vlmbench) runs=(seen:100000:100050 unseen:100000:100050)
        if [ "$recipe" = stack ]; then lessons=vlmbench/pick_place,vlmbench/stack; fi # stack alone has too few colors to tell them apart
        ;;
    lohoravens) # the split train, whose colors no other has, ends at 999: its last hundred seeds are held out
        tasks=lohoravens/pick_and_place seeds=0:600 validation=800:820
        view=(--cameras lohoravens --size 640x480) more=(--plot lohoravens --pixel 0.00625) runs=(train:900:950 test:100000:100050)
        ;;
    open_drawer) # its splits differ by their seeds
        tasks=arnold/open_drawer learner=bc-z seeds=0:200 validation=80000:80010 splits=(train val)
        view=(--cameras arnold:front,wrist --size 128x128) runs=(test:100000:100025)
        ;;
    clevrskills) # five tasks of the lowest level, asked in pictures
        tasks=clevrskills/pick,clevrskills/place,clevrskills/touch,clevrskills/push,clevrskills/rotate
        learner=bc-z seeds=0:50 validation=80000:80003 prompt=(--prompt pictures)
        view=(--cameras clevrskills:base,hand --size 128x128) runs=(seen:100000:100010)
        ;;
    data | train | score | ablate | long | page) fail "$recipe is a part. Name the recipe before it, for example: pick_place $recipe" ;;
    *) fail "There is no recipe $recipe. Choose pick_place, stack, lohoravens, open_drawer or clevrskills." ;;
esac
for pair in "${SEEDS:-0:1}" "${VALIDATION:-0:1}" "${TEST:-0:1}"; do
    [[ $pair =~ ^[0-9]+:[0-9]+$ ]] || fail "Seeds are first:last, such as 0:400 for 0 to 399; found $pair."
done
case ${BLANK:-} in '' | words | map) ;; *) fail "BLANK is words or map; found $BLANK." ;; esac
parts=("${@:2}")
[ ${#parts[@]} -gt 0 ] || parts=(data train score page)
for part in "${parts[@]}"; do
    case $part in
        data | train | score | page) ;;
        ablate) [ "$learner" = key-frame ] || fail "$recipe has no ablations; those of VLMbench are of the key-frame policy." ;;
        long) case $recipe in lohoravens | clevrskills) ;; *) fail 'Only lohoravens and clevrskills have longer tasks, made of what was trained.' ;; esac ;;
        *) fail "There is no part $part. Choose data, train, score, ablate, long or page." ;;
    esac
done
axis=(--axis "${AXIS:-}")

# Data of other seeds or of another axis lie elsewhere, so that none are taken for these.
seeds=${SEEDS:-$seeds} validation=${VALIDATION:-$validation} page=${PAGE:-$all/$run.md} workers=${WORKERS:-2} blind=()
learn=${seeds/:/-}${AXIS:+-$AXIS} choose=${validation/:/-}${AXIS:+-$AXIS}
if [ -e "$page" ] && ! grep -q '^# Learned baselines' "$page"; then
    fail "$page is there already and is no page of baselines. Name another one: PAGE=FILE"
fi
case $learner in
    key-frame) # maps are drawn from the poses of a bag
        kind=maps recorded=(--cameras none) format=maps shown=("${view[@]}" "${more[@]}") options=(--every 250 --precision bfloat16)
        class=vlm_bench_baselines.key_frame.policy:KeyFramePolicy
        ;;
    bc-z)
        kind=frames recorded=("${view[@]}" --rate 20) format=numpy shown=(--action joints --fps 20) options=(--every 500)
        class=vlm_bench_baselines.bc_z.policy:BcZPolicy
        ;;
esac

if [ -n "${BLANK:-}" ]; then
    [ "$learner" = key-frame ] || fail "$recipe does not learn without words or map; pick_place, stack and lohoravens do."
    [[ " ${parts[*]} " != *' ablate '* ]] || fail 'Ablations blind weights that were trained with all. Leave out BLANK or the part ablate.'
    blind=(--blank "$BLANK")
fi

# Bags of the expert, and what is learned from: seeds, split and the name of both folders.
demonstrated() {
    $bench generate --tasks "${lessons:-$tasks}" "${axis[@]}" --split "$2" "${prompt[@]}" --seeds "$1" "${recorded[@]}" --out "$out/bags/$3"
    [ -d "$out/$kind/$3" ] || $bench export "$format" "$out/bags/$3" "$out/$kind/$3" "${shown[@]}"
}

data() {
    demonstrated "$seeds" "${splits[0]:-}" "$learn"
    demonstrated "$validation" "${splits[1]:-}" "$choose"
}

train() {
    $bench train "$learner" "$out/$kind/$learn" --validation "$out/$kind/$choose" --steps "${STEPS:-$steps}" "${options[@]}" --threads 1 "${blind[@]}" \
        --out "$out/$run/trained" ${TRAIN:-}
}

# Scores a policy in one split: name of the report, split, seeds, and the policy with its options.
scored() {
    $bench evaluate --tasks "$tasks" "${axis[@]}" --split "$2" --seeds "${TEST:-$3}" "${view[@]}" "${prompt[@]}" --workers "$workers" \
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
    learned=(--policy "$class" --policy-arg "checkpoint=$file" ${BLANK:+--policy-arg "blank=$BLANK"})
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
            --workers "$workers" --out "$told.json"
        $bench export maps "$told-bags" "$told" "${shown[@]}"
    fi
    for given in position orientation; do
        scored "given-$given" "$split" "$seeds" "${learned[@]}" --policy-arg "given=$given" --policy-arg "rehearsals=$told"
    done
}

# Longer tasks that are made of what was trained. Of LoHoRavens A to K: in its own protocol, without a planner; and in the training's
# colors, where the planner by rules tells the steps one by one and a reporter tells it the truth (aids). Of ClevrSkills two of the next
# level, which nobody has shown.
long() {
    policy
    local count=${LONG:-10} test
    test=100000:$((100000 + count))
    if [ "$recipe" = clevrskills ]; then
        tasks=clevrskills/simple_manipulation,clevrskills/rotate_restore
        TEST=$test scored next-level seen "$test" "${learned[@]}"
        TEST=$test scored next-level-control seen "$test" --policy language_ignored
        return
    fi
    $bench evaluate --protocol lohoravens --seeds "$test" "${learned[@]}" --workers "$workers" --out "$out/$run/protocol_test.json"
    $bench evaluate --tasks lohoravens --split train --seeds "900:$((900 + count))" "${view[@]}" --assist steps "${learned[@]}" \
        --workers "$workers" --out "$out/$run/steps_train.json"
}

page() {
    set +o noglob
    .venv/bin/python -m vlm_bench_tasks.pages.baselines_page --out "$page" "$all"/*/"$run"/*_*.json
    set -o noglob
    echo "page: $page"
}

for part in "${parts[@]}"; do $part; done
