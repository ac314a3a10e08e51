"""Renew the golden digests, of the tasks or families that are named or of all, or with `--print` say those of every task's episodes now."""

import json
import sys

from test.golden import _digests
from vlm_bench_tasks import catalogue

if '--print' in sys.argv[1:]:
    sys.stdout.write(json.dumps(_digests.episodes(catalogue.tasks())) + '\n')
else:
    _digests.renew(sys.argv[1:])
    sys.stdout.write(f'{_digests.FILE}\n')
