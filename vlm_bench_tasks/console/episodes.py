"""Run one episode in this process, and convert reports to plain results."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from vlm_bench_sim.bags.choice import EVERYTHING, Choice
from vlm_bench_sim.bags.folder import bag_name, check_folder
from vlm_bench_sim.core.aids import read as read_aids
from vlm_bench_sim.core.engine import check
from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.render.png import png
from vlm_bench_sim.render.prompt_sheet import prompt_sheet
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.judge import Judgement
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.evaluation.aids import aided
from vlm_bench_tasks.graph import MODES, RECORDS
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.adviser import Adviser
from vlm_bench_tasks.policies.arguments import read_arguments
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.sizes import read_size


@dataclass(frozen=True)
class Asked:
    """The options of `vlm-bench run`, by name."""

    task: str
    split: str
    seed: int
    axis: str
    prompt: str
    policy: str
    robot: str
    mode: str
    record: str
    cameras: str
    size: str
    engine: str
    scored: bool
    perturb: tuple[str, ...] = ()
    advise: bool = False
    choice: Choice = EVERYTHING
    policy_arg: tuple[str, ...] = ()
    assist: tuple[str, ...] = ()


def run(asked: Asked, console: Console) -> dict[str, Any]:
    """Run one episode and return its result.

    Raises:
        VlmBenchError: an option names something that does not exist, or an output cannot be written.
    """
    if asked.mode not in MODES:
        raise ConfigError(f'mode {asked.mode!r} is not offered. {near(asked.mode, MODES)}')
    if asked.mode != MODES[0]:
        raise ConfigError(f'vlm-bench run has only simulated time. Use vlm-bench up --mode {asked.mode}.')
    if asked.scored:
        raise ConfigError('A policy in this process can reach everything, so it cannot be scored. Use vlm-bench up --scored.')
    if asked.advise and not asked.record:
        raise ConfigError('--advise writes what the expert would do into a bag. Name a folder for it with --record.')
    if asked.choice != EVERYTHING and not asked.record:
        raise ConfigError('--topics, --leave-out and --rate say what a bag holds. Name a folder for it with --record.')
    perturbation = catalogue.perturbation(asked.perturb)
    catalogue.check_needs(asked.task, engine=check(asked.engine))
    episode = catalogue.perturbed(catalogue.build(asked.task, asked.split, asked.seed, asked.axis, asked.prompt), perturbation)
    player, assist = policy(asked.policy, read_arguments(asked.policy_arg)), read_aids(asked.assist)
    robot = asked.robot or catalogue.task(asked.task).robot
    width, height = read_size(asked.size)
    bench = Bench(robot, asked.cameras, width=width, height=height, engine=asked.engine)
    images = bench.prompt_images(episode)
    shown = {'prompt_picture': str(_write_prompt(episode, images, Path(asked.record or RECORDS)))} if images else {}
    recorder = Recorder(bench, episode, folder=Path(asked.record), choice=asked.choice) if asked.record else None
    try:
        with console.status(escape(episode.instruction.text)):
            adviser = Adviser() if asked.advise else None
            helped = aided(player, assist, bench, episode)
            outcome = bench.run(episode, helped, helped, *([recorder] if recorder else []), adviser=adviser, assisted=helped.assisted)
    except BaseException:  # a user's policy may raise anything
        if recorder:
            recorder.abort()
        bench.close()
        raise
    result = _told(episode) | described(outcome.report, outcome.hashes) | {
        'policy': asked.policy, 'robot': robot, 'engine': bench.engine, 'renderer': bench.renderer_string,
        'wall_seconds': round(outcome.wall_seconds, 3),
        'failures': list(outcome.failures),
    } | shown  # fmt: skip
    if recorder:
        result['bag'] = str(recorder.close(outcome.report))
    bench.close()
    return result


def _write_prompt(episode: Episode, images: Sequence[PromptImage], folder: Path) -> Path:
    """Write the instruction as one picture and return its path.

    Raises:
        BagError: the folder cannot be written.
    """
    name = bag_name(episode.task, episode.split, episode.seed, episode.axis)
    path = check_folder(folder) / f'{name}_{episode.prompt.replace(",", "_")}.png'
    path.write_bytes(png(prompt_sheet(episode.instruction.text, images)))
    return path


def described(report: Report, hashes: tuple[str, ...]) -> dict[str, Any]:
    """Return a report as a plain dictionary."""
    return {
        'verdict': report.verdict.value, 'causes': list(report.causes), 'progress': report.progress, 'score': report.score,
        'reward': report.reward, 'sim_seconds': report.sim_seconds,
        'leaves': [{'words': leaf.words, 'holds': leaf.holds, 'distance': leaf.distance} for leaf in report.leaves],
        'assistance': list(report.assistance), 'perturbations': list(report.perturbations), 'drops': report.drops,
        'violations': report.violations, 'state_hash': hashes[report.seq] if report.seq < len(hashes) else '',
        'versions': list(report.versions),
    }  # fmt: skip


def _told(episode: Episode) -> dict[str, Any]:
    return {
        'task': episode.task, 'split': episode.split, 'seed': episode.seed, 'axis': episode.axis, 'revision': episode.revision,
        'instruction': episode.instruction.text, 'prompt': episode.prompt,
    }  # fmt: skip


def judged(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as a plain dictionary."""
    recorded, episode = judgement.recorded, judgement.episode
    told = _told(episode) if episode else judgement.told | {'revision': 0, 'instruction': '', 'prompt': ''}
    return told | described(judgement.report, judgement.hashes) | {
        'recorded_verdict': recorded.verdict.value if recorded else None, 'agrees': judgement.agrees,
        'versions': list(recorded.versions) if recorded else [],
        'stand_in_verdict': judgement.truth.verdict.value if judgement.truth else None,
    }  # fmt: skip


def show(result: dict[str, Any], console: Console) -> None:
    """Print a result as text."""
    color = {'success': 'green', 'failure': 'red'}.get(result['verdict'], 'yellow')
    console.print(
        f'task          {result["task"]}  split {result["split"]}  seed {result["seed"]}  axis {result["axis"]}',
        highlight=False,
        markup=False,
    )
    console.print(f'instruction   {result["instruction"]}', highlight=False, markup=False)
    console.print(Text.assemble('verdict       ', (result['verdict'], f'bold {color}'), f'  {"; ".join(result["causes"])}'))
    console.print(
        f'score         {result["score"]:.0f} of 100   progress {result["progress"]:.2f}   reward {result["reward"]:.2f}',
        highlight=False,
        markup=False,
    )
    for holds, said in dict.fromkeys((leaf['holds'], leaf['words']) for leaf in result['leaves']):  # a step may be asked for again
        console.print(f'              {"yes" if holds else "no "}  {said}', highlight=False, markup=False)
    for failure in dict.fromkeys(result.get('failures', ())):
        console.print(f'failure       {failure}', highlight=False, markup=False)
    wall = f', {result["wall_seconds"]:.2f} s of wall clock' if 'wall_seconds' in result else ''
    console.print(f'time          {result["sim_seconds"]:.2f} s simulated{wall}', highlight=False, markup=False)
    console.print(
        f'assistance    {", ".join(result["assistance"]) or "none"}   violations {result["violations"]}', highlight=False, markup=False
    )
    if result['perturbations']:
        console.print(f'perturbations {", ".join(result["perturbations"])}   drops {result["drops"]}', highlight=False, markup=False)
    console.print(f'state hash    {result["state_hash"]}', highlight=False, markup=False)
    if 'prompt_picture' in result:
        console.print(f'prompt        {result["prompt_picture"]}', highlight=False, markup=False)
    if 'bag' in result:
        console.print(f'bag           {result["bag"]}', highlight=False, markup=False)
