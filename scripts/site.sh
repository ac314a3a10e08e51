#!/usr/bin/env bash
# Builds the site of docs/ into site/, strictly: a broken link or a page that no menu shows is an error. It needs the extra `site` of pyproject.toml,
# and installs it into .venv-site, so that the environment of the bench stays as it is.
#     scripts/site.sh            build it; open site/index.html
#     scripts/site.sh serve      show it at an address of this machine, and build again what changes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
VENV=.venv-site
PIP=(.venv/bin/python -m pip --no-input --disable-pip-version-check)
fail() { printf 'site: %s\n' "$@" >&2; exit 2; }

mapfile -t wanted < <(sed -n '/^site = \[/,/^\]/s/^ *"\([^"]*\)".*/\1/p' pyproject.toml)
key="$(.venv/bin/python -VV) ${wanted[*]}"
if [ "$(cat "$VENV/.made" 2>/dev/null)" != "$key" ]; then
    echo "site: installing ${wanted[*]}"
    rm -rf "$VENV"
    if "${PIP[@]}" --help | grep -q -- '--python '; then
        .venv/bin/python -m venv --without-pip "$VENV" # half a minute faster
        PIP+=(--python "$VENV/bin/python")
    else
        .venv/bin/python -m venv "$VENV"
        PIP[0]=$VENV/bin/python
    fi
    "${PIP[@]}" --timeout 20 --retries 1 install -q "${wanted[@]}" ||
        fail "The site was not built: these could not be installed, see pip's errors above: ${wanted[*]}." \
            'They need a package index. Pages that are written from the source are up to date all the same.'
    echo "$key" >"$VENV/.made"
fi
# The theme's maker announces another program with every build.
export NO_MKDOCS_2_WARNING=true
if [ "${1:-}" = serve ]; then exec "$VENV/bin/python" -m mkdocs serve "${@:2}"; fi
"$VENV/bin/python" -m mkdocs build --strict "$@" 2>&1 | { grep -v "^INFO" || true; } || fail 'The site has faults: see above.'
echo "site: $(find site -name '*.html' | wc -l) pages, $(du -sh site | cut -f 1), built in $SECONDS s. Open site/index.html."
