#!/usr/bin/env bash
# Installs what runs the notebooks, the extra `notebook` of pyproject.toml, into .venv.
#     scripts/notebooks.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t wanted < <(sed -n '/^notebook = \[/,/^\]/s/^ *"\([^"]*\)".*/\1/p' pyproject.toml)
if ! .venv/bin/python -c 'import nbclient, ipykernel, matplotlib' 2>/dev/null; then
    echo "notebooks: installing ${wanted[*]}"
    .venv/bin/python -m pip --no-input --disable-pip-version-check install -q -c .venv/constraints.txt "${wanted[@]}" || {
        echo "notebooks: These could not be installed, see pip's errors above: ${wanted[*]}. They need a package index." >&2
        exit 2
    }
fi
