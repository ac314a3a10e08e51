"""Run the tests of nodes that have just failed once more, alone, and name those that pass then: each is a finding, see CONTRIBUTING.md."""

import json
import subprocess
import sys
from pathlib import Path

CACHE = Path(__file__).parents[1] / '.pytest_cache/v'
FAILED, STATUS = CACHE / 'cache/lastfailed', CACHE / 'vlm_bench/exitstatus'
SOME_FAILED = 1  # pytest's exit code for a run that came to its end
NODES = 'test/nodes/'
AT_MOST = 3  # files: tests of one file may share a bench, and fail together


def main() -> int:
    """Return 0 if so few tests failed that it may be chance, all of them tests of nodes, and every one passes alone."""
    failed = sorted(json.loads(FAILED.read_text())) if FAILED.is_file() else []
    whole = STATUS.is_file() and json.loads(STATUS.read_text()) == SOME_FAILED
    files = {name.partition('::')[0] for name in failed}
    if not (whole and 0 < len(files) <= AT_MOST and all(name.startswith(NODES) for name in files)):
        print(f'Not run again: {len(failed)} failed; only tests of {NODES} are, of {AT_MOST} files at most, of a run that came to its end.')
        return 1
    print('\nFINDING: failed beside other tests, now run alone:', *failed, sep='\n  ', flush=True)
    code = subprocess.run([sys.executable, '-m', 'pytest', '-m', '', *failed], check=False).returncode
    alone = 'all of them pass. Each depends on how busy the machine is: look into it.' if code == 0 else 'some fail, too.'
    print(f'FINDING: alone, {alone}')
    return code


if __name__ == '__main__':
    sys.exit(main())
