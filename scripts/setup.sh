#!/usr/bin/env bash
# Sets up everything: system packages, .venv, the generated interfaces, the project itself. Uses a sourced ROS 2 if there is one, otherwise
# ROS 2's Python wheels. It is safe to run repeatedly, and does nothing if nothing has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$(pwd -P)
VENV=$ROOT/.venv
PIP=("$VENV/bin/python" -m pip --no-input --disable-pip-version-check)
MISSING=()
PATH=$PATH:/usr/sbin:/sbin # for ldconfig, which a user's path may lack

say() { echo "setup: $*"; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }

# Prints one hash of the given words and of the contents of the given files and folders.
key() {
    local item
    for item; do
        if [ -e "$item" ]; then
            find "$item" -type f -not -path '*/install/*' -not -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum
        else
            echo "$item"
        fi
    done | sha256sum | cut -d ' ' -f 1
}
fresh() { [ "$(cat "$VENV/.made_$1" 2>/dev/null)" = "$2" ]; }
made() { echo "$2" >"$VENV/.made_$1"; }

# Prints the base interpreter of a command, outside of any virtual environment; nothing if it does not run or is too old.
interpreter() { "$1" -c 'import sys; sys.version_info >= (3, 10) and print(sys._base_executable)' 2>/dev/null | grep .; }
works() { "$VENV/bin/python" -c "import $1" >/dev/null 2>&1; }

find_route() {
    if [ -n "${ROS_DISTRO:-}" ] && "$(interpreter python3)" -c 'import rclpy' 2>/dev/null; then
        echo ros
    elif grep -q '^ros ' "$VENV/.made_route" 2>/dev/null; then
        fail ".venv was made for $(cat "$VENV/.made_route"), which is not sourced here. Source it, or remove .venv to use ROS 2's Python wheels."
    else
        echo pip
    fi
}

find_python() {
    local name
    if [ "$1" = ros ]; then interpreter python3 && return; fi
    for name in "$VENV/bin/python" python3.11 python3.10 python3; do # prefer the existing .venv; PyBullet has wheels up to 3.11
        interpreter "$name" && return
    done
    fail 'no Python 3.10 or newer was found. Install 3.10 or 3.11, for example: apt-get install python3 python3-venv python3-dev'
}

newer_than_wheels() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; } # where PyBullet has no wheels

need() { local package=$1; shift; "$@" >/dev/null 2>&1 || MISSING+=("$package"); }
library() { ldconfig -p | grep -F "$1"; } # without -q, which would end ldconfig with a broken pipe
mesa() { compgen -G '/usr/lib/*/dri/*_dri.so' || compgen -G '/usr/lib*/dri/*_dri.so' || library libEGL_nvidia.so; }
headers() { "$1" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }

apt_may() { command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; }
apt() { if [ "$(id -u)" = 0 ]; then DEBIAN_FRONTEND=noninteractive apt-get "$@"; else sudo -n DEBIAN_FRONTEND=noninteractive apt-get "$@"; fi; }

system_packages() {
    local python=$1 route=$2 version
    version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    need cmake command -v cmake
    need g++ command -v g++
    need make command -v make
    need libegl1 library libEGL.so.1
    need libgl1-mesa-dri mesa
    need libgles2 library libGLESv2.so.2
    need libopengl0 library libOpenGL.so.0
    need libgl1 library libGL.so.1
    need "$version-venv" "$python" -c 'import ensurepip, venv'
    need "$version-dev" headers "$python"
    if [ "$route" = ros ]; then
        need "ros-$ROS_DISTRO-control-msgs" "$python" -c 'import control_msgs.action'
        need "ros-$ROS_DISTRO-tf2-msgs" "$python" -c 'import tf2_msgs.msg'
        need "ros-$ROS_DISTRO-rosidl-default-generators" "$python" -c 'import rosidl_generator_py'
    fi
    [ ${#MISSING[@]} -gt 0 ] || return 0
    say "system packages that are missing: ${MISSING[*]}"
    apt_may || fail "cannot install them without root. Run: sudo apt-get update && sudo apt-get install ${MISSING[*]}" '(On another system: the corresponding packages.)'
    apt update -qq || true
    apt install -y -qq --no-install-recommends "${MISSING[@]}" || fail "apt could not install all of: ${MISSING[*]}. See its errors above."
}

make_venv() {
    local python=$1 route=$2 ground="$3" options=()
    fresh ground "$ground" && "$VENV/bin/python" -c '' 2>/dev/null && return
    if [ "$route" = ros ] || newer_than_wheels "$python"; then options=(--system-site-packages); fi
    say ".venv with $("$python" -V) ${options[*]}"
    rm -rf "$VENV" build/underlay build/vlm_bench_msgs underlay/install install/vlm_bench_msgs
    "$python" -m venv "${options[@]}" "$VENV"
    made ground "$ground"
    made route "$route ${ROS_DISTRO:-}"
}

# Python 3.12 and newer: use the distribution's package if it works with this NumPy, otherwise build from source.
pybullet() {
    say "PyBullet has no wheel for $("$VENV/bin/python" -V)"
    "${PIP[@]}" install -q "$@" 'numpy>=1.24' 'setuptools>=70.1,<72'
    if ! works pybullet && apt_may; then apt install -y -qq --no-install-recommends python3-pybullet >/dev/null 2>&1 || true; fi
    if works pybullet; then
        say 'PyBullet: using the package of the distribution (python3-pybullet)'
    else
        say 'PyBullet: building it from source, four to ten minutes'
        "${PIP[@]}" install -q "$@" --no-build-isolation 'pybullet>=3.2.5'
    fi
}

# ROS's own extensions were compiled against the distribution's NumPy, so stay below the next major version.
constraints() {
    local bound='import numpy; print("numpy<%d" % (int(numpy.__version__.split(".")[0]) + 1))'
    if [ "$2" = ros ]; then "$1" -c "$bound" 2>/dev/null || true; fi >"$VENV/constraints.txt"
}

python_packages() {
    local python=$1 route=$2 bounds=(-c "$VENV/constraints.txt") wanted=() quiet=(-q)
    [ -t 1 ] && quiet=()
    if [ "$route" = pip ]; then wanted=(-r scripts/ros_wheels.txt); fi
    if [ "$route" = ros ] && ! command -v colcon >/dev/null; then wanted=(colcon-common-extensions); fi
    say 'Python packages (one to five minutes)'
    constraints "$python" "$route"
    "${PIP[@]}" install -q 'setuptools>=70.1,<72'
    if newer_than_wheels "$python"; then pybullet "${bounds[@]}"; fi
    "${PIP[@]}" install "${quiet[@]}" "${bounds[@]}" --no-build-isolation "${wanted[@]}" -e '.[test,dev]'
    if [ "$route" = pip ]; then
        "$VENV/bin/python" scripts/patch_wheels.py
        # The wheels need no sourcing, but colcon warns if an ament prefix lacks these files.
        tee "$VENV"/local_setup.{sh,bash,zsh} >/dev/null <<<'# Nothing to do: see scripts/env.sh of the clone.'
    fi
}

build() { # arguments: folder to search, build folder, install folder
    local events=(console_direct- status-)
    [ -t 1 ] && events=(console_direct-)
    colcon --log-base build/log build --base-paths "$1" --build-base "$2" --install-base "$3" "${@:4}" \
        --event-handlers "${events[@]}" --cmake-args -DPYTHON_ONLY=ON -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release \
        "-DPython3_EXECUTABLE=$VENV/bin/python" --no-warn-unused-cli
}

interfaces() {
    local route=$1
    say 'building the interfaces (two to nine minutes the first time; the compiler is silent meanwhile)'
    if [ "$route" = pip ]; then
        (source scripts/env.sh && build underlay build/underlay underlay/install --merge-install)
    fi
    (source scripts/env.sh && build vlm_bench_msgs build install)
    "$VENV/bin/python" scripts/site_hook.py "${ROS_DISTRO:-}"
}

main() {
    local route python ground packages_key interfaces_key started=$SECONDS
    exec 9<scripts/setup.sh
    flock -n 9 || { say 'waiting for another setup in this folder'; flock 9; }
    route=$(find_route)
    python=$(find_python "$route")
    ground=$(key "$route" "${ROS_DISTRO:-}" "$("$python" -VV)" "at $ROOT")
    packages_key=$(key "$ground" pyproject.toml setup.py setup.cfg package.xml scripts/ros_wheels.txt scripts/patch_wheels.py "$(ls vlm_bench_*/__init__.py)")
    interfaces_key=$(key "$ground" vlm_bench_msgs underlay scripts/setup.sh scripts/env.sh scripts/site_hook.py vlm_bench_sim/core/arithmetic.py)
    if fresh packages "$packages_key" && fresh interfaces "$interfaces_key"; then
        say 'up to date'
        return
    fi
    if [ "$route" = ros ]; then say "ROS 2 $ROS_DISTRO is sourced and will be used"; else say 'no ROS 2 is sourced: using ROS 2 Kilted as Python wheels'; fi
    system_packages "$python" "$route"
    make_venv "$python" "$route" "$ground"
    if ! fresh packages "$packages_key"; then python_packages "$python" "$route"; made packages "$packages_key"; fi
    if ! fresh interfaces "$interfaces_key"; then interfaces "$route"; made interfaces "$interfaces_key"; fi
    say "ready after $((SECONDS - started)) s. Next: make demo, or .venv/bin/vlm-bench doctor"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then main; fi
