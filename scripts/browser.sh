#!/usr/bin/env bash
# Installs what the browser tests need: Debian's Chromium, unless a browser is there, and Playwright into .venv.
#     scripts/browser.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { printf 'browser: %s\n' "$@" >&2; exit 2; }
apt() { if [ "$(id -u)" = 0 ]; then DEBIAN_FRONTEND=noninteractive apt-get "$@"; else sudo -n DEBIAN_FRONTEND=noninteractive apt-get "$@"; fi; }

if ! command -v chromium chromium-browser google-chrome >/dev/null; then
    echo 'browser: Chromium'
    { command -v apt-get && { [ "$(id -u)" = 0 ] || sudo -n true; }; } >/dev/null 2>&1 ||
        fail 'There is no Chromium, and it cannot be installed without root. Run: sudo apt-get update && sudo apt-get install chromium'
    quick=(-o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 -o Acquire::Retries=1)
    apt "${quick[@]}" update -qq || true
    apt "${quick[@]}" install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null || fail 'apt could not install chromium. See its errors above.'
fi
if ! .venv/bin/python -c 'import playwright' 2>/dev/null; then
    echo 'browser: Playwright'
    .venv/bin/python -m pip --no-input --disable-pip-version-check install -q -c .venv/constraints.txt 'playwright>=1.45'
fi
