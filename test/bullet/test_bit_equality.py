"""What Bullet offers and may not be asked for."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_nothing_asks_bullet_for_what_breaks_bit_equality():
    """`performCollisionDetection` and Bullet's own saved states do (measured), so no source may call them."""
    calls = re.compile(r'\.(performCollisionDetection|saveState|restoreState|saveBullet|restoreBullet)\b')
    found = [
        str(p) for folder in ('vlm_bench_sim', 'vlm_bench_tasks') for p in (ROOT / folder).rglob('*.py') if calls.search(p.read_text())
    ]
    assert found == []
    assert calls.search('client.performCollisionDetection()')
