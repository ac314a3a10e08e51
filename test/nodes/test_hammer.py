"""Goals, cancels, preemptions, resets and new episodes at moments drawn from a seed: nothing hangs, and no goal stays unanswered."""

import random

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('simulation_interfaces', reason='needs the generated messages: source scripts/env.sh')

from running_bench import CHUNK, FOLLOW, GRIPPER, PANDA

from vlm_bench_sim.ros import fields, names

pytestmark = [pytest.mark.ros, pytest.mark.slow]
OK, TIMES = 1, 200
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
TWIN = names.parallel_gripper(PANDA)
DEEDS = {'nothing': 2, 'cancel': 3, 'both hands': 2, 'topic': 2, 'reset': 2, 'episode': 1}


class Hammer:
    """Whoever does all of this, and remembers every goal."""

    def __init__(self, bench, seed):
        self._bench, self._client, self._draw = bench, bench.client, random.Random(seed)
        self.goals, self.deeds = [], []

    def strike(self):
        """Send a goal to the arm, which preempts the one before, and at some moment do something else."""
        self.goals.append(self._client.send(FOLLOW, {'trajectory': self._way()}))
        self._client.rest(self._draw.choice((0.0, 0.0, 0.01, 0.03, 0.1)))
        deed = self._draw.choices(list(DEEDS), list(DEEDS.values()))[0]
        self.deeds.append(deed)
        getattr(self, '_' + deed.replace(' ', '_'))()

    def _way(self):
        positions = [q + self._draw.uniform(-0.3, 0.3) for q in PANDA.home]
        return {
            'joint_names': list(PANDA.joints),
            'points': [{'positions': positions, 'time_from_start': fields.stamp(self._draw.randrange(200_000_000, 3_000_000_000))}],
        }

    def _nothing(self):
        pass

    def _cancel(self):
        goal = self._draw.choice(self.goals[-3:])
        if goal.accepted:
            goal.cancel()

    def _both_hands(self):
        for row, content in self._draw.sample([(GRIPPER, self._grip()), (TWIN, self._grip_joints())], 2):
            self.goals.append(self._client.send(row, content))

    def _grip(self):
        return {'command': {'position': self._draw.uniform(-0.01, 0.05)}}

    def _grip_joints(self):
        return {'command': {'position': [self._draw.uniform(-0.01, 0.05)]}}

    def _topic(self):
        self._client.say(CHUNK, self._way())

    def _reset(self):
        assert self._client.ask(names.RESET_SIMULATION, {'scope': self._draw.choice((0, 2, 4))}).result.result == OK

    def _episode(self):
        self._bench.begin(task='vlmbench/pick_place', seed=self._draw.randrange(5))


def test_whatever_comes_at_whatever_moment_every_goal_is_answered_and_the_clock_goes_on(bench):
    hammer = Hammer(bench, seed=11)
    for _ in range(TIMES):
        hammer.strike()
        bench.check()
    assert set(hammer.deeds) == set(DEEDS)
    ended = [goal.result().status for goal in hammer.goals if goal.accepted]
    assert len(ended) > TIMES // 2
    assert {CANCELED, ABORTED} <= set(ended) <= {SUCCEEDED, CANCELED, ABORTED}
    clocks = [fields.read_stamp(clock.clock) for clock in bench.client.heard(names.CLOCK)]
    assert clocks == sorted(clocks)
    assert len(clocks) > TIMES
    bench.begin()
    assert bench.client.send(FOLLOW, {'trajectory': hammer._way()}).result().status == SUCCEEDED, 'and it works as before'
