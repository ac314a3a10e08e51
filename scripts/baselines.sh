#!/usr/bin/env bash
# Installs what the learned baselines need into .venv: PyTorch, safetensors, matplotlib, transformers. A PyTorch that is there is kept; TORCH names another.
#     scripts/baselines.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
INSTALL=(.venv/bin/python -m pip --no-input --disable-pip-version-check install -q -c .venv/constraints.txt)

if ! .venv/bin/python -c 'import torch, safetensors, matplotlib, transformers' 2>/dev/null; then
    echo "baselines: PyTorch, safetensors, matplotlib and transformers"
    # 2.13 is what the results were made with. On x86-64 the index of pip may hold it with CUDA (several GB): a build for CPUs does as well.
    .venv/bin/python -c 'import torch' 2>/dev/null || "${INSTALL[@]}" "${TORCH:-torch==2.13.0}"
    "${INSTALL[@]}" 'safetensors>=0.4' 'matplotlib>=3.7' 'transformers>=5.24'
    # PyTorch asks for a newer one, and needs it only to compile extensions; colcon needs this one (scripts/ros_wheels.txt).
    "${INSTALL[@]}" "$(grep '^setuptools' scripts/ros_wheels.txt)" 2>/dev/null
fi
.venv/bin/python -c 'import torch; print("baselines: PyTorch", torch.__version__)'
