#!/usr/bin/env bash
# Installs what runs the notebooks into .venv: nbclient and ipykernel.
#     scripts/notebooks.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! .venv/bin/python -c 'import nbclient, ipykernel' 2>/dev/null; then
    echo 'notebooks: nbclient and ipykernel'
    .venv/bin/python -m pip --no-input --disable-pip-version-check install -q -c .venv/constraints.txt 'nbclient>=0.10' 'ipykernel>=6.29' 2>/dev/null
fi
