"""The bench over ROS in numbers: real time with every picture topic subscribed, barrier, resets, planning, pictures between processes."""

import json
import time
from statistics import median, quantiles
from typing import Any

import numpy as np
from rclpy.action import ActionClient

from test.benchmark import _ping
from test.benchmark._bench import OK, Played, Processes, Watcher, module, real_time, running, shares
from test.benchmark._timed import Timed
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

TASK = 'vlmbench/pick_place'
CAMERAS, RATE = 'vlmbench', 10.0
TRUTH = 2  # of MoveTcp and Plan: around every prop
EXECUTING = 1  # of MoveTcp's feedback


def report(episodes: int = 3) -> list[str]:
    """Return the lines of the report."""
    return [*_with_cameras(episodes), *_without_cameras(episodes)]


def _with_cameras(episodes: int) -> list[str]:
    shown = [camera.name for camera in cameras(CAMERAS)]
    with running(policy='oracle', cameras=CAMERAS, camera_rate=RATE) as (watcher, processes):
        processes.start('audience', module('_audience', ','.join(shown)))
        watcher.wait(lambda: processes.speaks('audience'), 'the audience to be shown each topic')
        played = [watcher.episode(seed) for seed in range(episodes)]
        watcher.settle()
        peaks = processes.peaks()
        seen = json.loads(processes.end('audience').splitlines()[-1])
    return [
        f'{len(shown)} cameras 256x256 at {RATE:g} Hz, {len(seen)} picture topics subscribed in another process: {real_time(played)}',
        _frames(played, seen),
        f'peak memory: {shares(peaks)}',
    ]


def _frames(played: list[Played], seen: dict[str, list[int]]) -> str:
    """Compare the stamps on each topic with the ticks at which a picture was due; pictures taken while the world paused come on top."""
    every = round(CONTROL_HZ / RATE)
    due = {tick.ns for one in played for tick in one.ticks if tick.seq % every == 0}
    lost = {name: len(due - set(stamps)) for name, stamps in seen.items()}
    worst = ', '.join(f'{name} {count}' for name, count in lost.items() if count)
    return f'frames: {len(due) * len(seen)} due on {len(seen)} topics ({len(due)} each), {sum(lost.values())} lost {worst}'.rstrip()


def _without_cameras(episodes: int) -> list[str]:
    with running(policy='oracle', cameras='none') as (watcher, processes):
        played = [watcher.episode(seed) for seed in range(episodes)]
        lines = [f'no cameras: {real_time(played)}', _barrier(played)]
        return [*lines, _resets(watcher), _queries(watcher), _moves(watcher), _latency(watcher, processes)]


def _barrier(played: list[Played]) -> str:
    """Compare a control period over ROS with the same one in this process."""
    periods = [1e3 * (b.came - a.came) for one in played for a, b in zip(one.ticks, one.ticks[1:], strict=False) if a.busy and b.busy]
    bench = Bench()
    bench.world = world = Timed(bench.world)
    for seed in range(len(played)):
        bench.run(catalogue.build(TASK, 'seen', seed), Oracle())
    bench.close()
    inside = 1e3 * world.seconds['step'] / world.calls['step']
    return (
        f'barrier: {median(periods):.1f} ms per control period while the arm moves (median; monitor, arm and oracle take part), '
        f'of which physics {inside:.1f} ms'
    )


def _resets(watcher: Watcher, rounds: int = 10) -> str:
    client, times = watcher.node.client(names.LOAD_SCENE), []
    for seed in range(rounds):
        scene = codec.dumps(catalogue.build(TASK, 'seen', seed).scene)
        begin = time.perf_counter()
        answer = watcher.ask(client, {'token': f'benchmark-{seed}', 'scene': scene})
        times.append(1e3 * (time.perf_counter() - begin))
        _expect(answer.result)
    return f'reset: LoadScene answers after {_spread(times)}'


def _queries(watcher: Watcher, rounds: int = 30) -> str:
    client, rng, times, feasible = watcher.node.client(names.PLAN), np.random.default_rng(0), [], 0
    for _ in range(rounds):
        content = {'poses': [fields.pose(_target(rng))], 'collision_scene': TRUTH}
        begin = time.perf_counter()
        answer = watcher.ask(client, content)
        times.append(1e3 * (time.perf_counter() - begin))
        feasible += answer.feasible
    return f'planning query: {client.srv_name} answers after {_spread(times)}, {feasible}/{rounds} feasible'


def _moves(watcher: Watcher, rounds: int = 20) -> str:
    """Send goals, each of which preempts the one before; nobody acknowledges ticks, so the arm stays where it is."""
    kind, rng, times = interface(names.MOVE_TCP.type), np.random.default_rng(1), []
    client = ActionClient(watcher.node.public, kind, names.MOVE_TCP.name)
    watcher.wait(client.server_is_ready, 'the arm node')
    watcher.settle()
    for seed in range(rounds):
        target = fields.pose_stamped(_target(rng), 0)
        goal = fill(kind.Goal(), {'target': target, 'collision_scene': TRUTH, 'planner_seed': seed})
        stages: list[int] = []
        begin = time.perf_counter()
        sent = client.send_goal_async(goal, feedback_callback=lambda message, stages=stages: stages.append(message.feedback.stage))
        watcher.wait(sent.done, 'the goal to be accepted')
        result = sent.result().get_result_async()
        watcher.wait(lambda stages=stages, result=result: EXECUTING in stages or result.done(), 'the arm to begin')
        if EXECUTING in stages:
            times.append(1e3 * (time.perf_counter() - begin))
    return f'planning: the arm follows a MoveTcp goal after {_spread(times)}, {len(times)}/{rounds} planned around all props'


def _latency(watcher: Watcher, processes: Processes, rounds: int = 100) -> str:
    times: list[float] = []

    def take(picture: Any) -> None:
        times.append((time.monotonic_ns() - int(picture.header.frame_id)) / 1e6)

    watcher.node.subscribe(_ping.ROW, take)
    processes.start('ping', module('_ping'))
    watcher.wait(lambda: len(times) >= rounds, 'pictures')
    return (
        f'picture latency: {_spread(times)} from publish() in one process to the callback in another '
        '(256x256 rgb8, 20 Hz, CLOCK_MONOTONIC sent along)'
    )


def _target(rng: np.random.Generator) -> Pose:
    position = (rng.uniform(0.35, 0.6), rng.uniform(-0.3, 0.3), rng.uniform(0.15, 0.35))
    return Pose.from_rpy(position, (np.pi, 0.0, rng.uniform(-np.pi / 2, np.pi / 2)))


def _expect(result: Any) -> None:
    if result.result != OK:
        raise RuntimeError(result.error_message)


def _spread(times: list[float]) -> str:
    return f'{median(times):.1f} ms (median; p95 {quantiles(times, n=20, method="inclusive")[-1]:.1f} ms)'


if __name__ == '__main__':
    print('\n'.join(report()))
