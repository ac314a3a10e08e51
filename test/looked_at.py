"""Three recorded episodes: one that the expert solved, one of the same seed in which nobody moved, and one asked in pictures."""

from pathlib import Path

from test.plays import Scripted, bench
from vlm_bench_sim.core.command import Wait
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.policies import policy


def record(folder: Path) -> Path:
    """Record the bags asked, solved and still in a folder, and return it."""
    pick = catalogue.build('vlmbench/pick_place', 'seen', 3)
    asked = catalogue.build('clevrskills/pick', 'seen', 1000, prompt='pictures')
    for name, episode, player in (
        ('solved', pick, policy('oracle')),
        ('still', pick, Scripted(Wait(0.3))),
        ('asked', asked, Scripted(Wait(0.3))),
    ):
        table = bench(catalogue.task(episode.task).robot)
        recorder = Recorder(table, episode, folder=folder, name=name)
        recorder.close(table.run(episode, player, recorder).report)
    return folder
