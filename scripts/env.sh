# Source this file in bash or zsh. It adds the virtual environment, the generated interfaces and their libraries to the paths.
#     source scripts/env.sh && python my_policy.py
# `make` and `.venv/bin/vlm-bench` do not need it; colcon and programs in other languages do.

_vb_root=$(cd "$(dirname "${BASH_SOURCE[0]:-${(%):-%x}}")/.." && pwd)

# Adds folder $2 to the front of the path variable $1, unless it is already there.
_vb_ahead() {
    [ -d "$2" ] || return 0
    eval "case \":\${$1:-}:\" in *\":$2:\"*) ;; *) export $1=\"$2\${$1:+:\${$1}}\" ;; esac"
}

if [ ! -x "$_vb_root/.venv/bin/python" ]; then
    echo "vlm_bench: $_vb_root/.venv is missing. Run: make -C $_vb_root setup" >&2
    unset _vb_root
    return 1
fi

export VIRTUAL_ENV="$_vb_root/.venv"
_vb_ahead PATH "$_vb_root/.venv/bin"
if [ -d "$_vb_root/.venv/share/rclpy" ]; then # ROS 2 as wheels: the virtual environment is an ament prefix
    _vb_ahead AMENT_PREFIX_PATH "$_vb_root/.venv"
    _vb_ahead CMAKE_PREFIX_PATH "$_vb_root/.venv"
    _vb_ahead LD_LIBRARY_PATH "$_vb_root/.venv/lib"
    for _vb_dir in $(find "$_vb_root"/.venv/lib/python3*/site-packages -maxdepth 1 -name 'ros_*.libs'); do
        _vb_ahead LD_LIBRARY_PATH "$_vb_dir"
    done
fi
for _vb_prefix in "$_vb_root/underlay/install" "$_vb_root/install/vlm_bench_msgs"; do
    _vb_ahead AMENT_PREFIX_PATH "$_vb_prefix"
    _vb_ahead CMAKE_PREFIX_PATH "$_vb_prefix"
    _vb_ahead LD_LIBRARY_PATH "$_vb_prefix/lib"
    for _vb_dir in $(find "$_vb_prefix" -maxdepth 5 -type d \( -name site-packages -o -name dist-packages \) 2>/dev/null); do
        _vb_ahead PYTHONPATH "$_vb_dir"
    done
done

# Limit discovery to this machine, unless the variable is already set (Humble supports only the older variable).
if [ "${ROS_DISTRO:-}" = humble ]; then
    export ROS_LOCALHOST_ONLY="${ROS_LOCALHOST_ONLY:-1}"
else
    export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"
fi

# The transport of the bench. By default, Fast DDS treats a node as dead if it gets no CPU time for 0.7 s.
export FASTDDS_DEFAULT_PROFILES_FILE="${FASTDDS_DEFAULT_PROFILES_FILE-$_vb_root/config/fastdds.xml}"

# The same sines on every processor (vlm_bench_sim/core/arithmetic.py). .venv/bin/python sets this variable itself.
export GLIBC_TUNABLES="$("$_vb_root/.venv/bin/python" -c 'import os; print(os.environ.get("GLIBC_TUNABLES", ""))')"

unset -f _vb_ahead
unset _vb_root _vb_dir _vb_prefix
