"""The aids of published protocols: each really does what the report says that it did, and nothing else."""

from dataclasses import replace
from math import radians

import numpy as np
import pytest

from vlm_bench_sim.core.aids import GRASP, HAND, IDS_AID, SNAPPING, STEPS, STOPPING, SUBGOALS, read
from vlm_bench_sim.core.assisted_world import GraspSnapping
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Joints, Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.lent import NOTHING
from vlm_bench_sim.core.protocols import MotionState, PlanRequest
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.aids import aided
from vlm_bench_tasks.evaluation.lending import lent
from vlm_bench_tasks.judging.guide import Guide
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.run import Bench


@pytest.fixture(scope='module')
def bench():
    bench = Bench('panda')
    yield bench
    bench.close()


class Watcher:
    """Keeps what it sees of a run."""

    def __init__(self):
        self.seen = []

    def period(self, snapshot):
        self.seen.append(snapshot)

    def event(self, event): ...


class Follows(Player):
    """Does one thing after the other, and keeps what it is told."""

    def __init__(self, *commands):
        self.commands, self.told = list(commands), []

    def reset(self, context):
        self.told.append(context.instruction)

    def act(self, observation):
        return self.commands.pop(0) if self.commands else Stop()


class Expert(Player):
    """The expert, who is told but once; keeps what else he was told."""

    privileged = True

    def __init__(self):
        self.oracle, self.told = policy('oracle'), []

    def reset(self, context):
        if not self.told:
            self.oracle.reset(context)
        self.told.append(context.instruction)

    def act(self, observation):
        return self.oracle.act(observation)


def played(bench, episode, player, *assist):
    watcher, helped = Watcher(), aided(player, assist, bench, episode)
    run = bench.run(episode, helped, helped, watcher, assisted=helped.assisted)
    return run, watcher.seen


def test_without_aids_nothing_changes(bench):
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0, 'color')
    helped, seen = played(bench, episode, policy('oracle'))
    assert helped.hashes == bench.run(episode, policy('oracle')).hashes
    assert helped.report.verdict is Verdict.SUCCESS
    guide = Guide(episode.goal, episode.goal, aids=[STOPPING])
    told = []
    for snapshot in seen:
        guide.see(snapshot)
        told.append(guide.stop)
    assert told == [episode.goal.holds(snapshot, seen[0]) for snapshot in seen]
    assert not told[0]
    assert told[-1]


def test_a_policy_is_stopped_once_the_goal_holds(bench):
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0, 'color')

    class Endless(Expert):
        """Never says that it is done, and moves on."""

        def act(self, observation):
            command = self.oracle.act(observation)
            self.late = episode.goal.holds(observation.truth, self.start) if hasattr(self, 'start') else False
            self.start = getattr(self, 'start', observation.truth)
            return Wait(0.05) if isinstance(command, Stop) else command

    endless = Endless()
    run, _ = played(bench, episode, endless, STOPPING)
    assert run.report.verdict is Verdict.SUCCESS
    assert not endless.late  # nobody asked it once the goal held


def test_a_hand_that_closes_while_the_arm_moves_is_put_onto_the_grasp_and_nothing_undoes_it(bench, grasp):
    episode, _, prop, target = grasp
    chunk = bench.planner.plan(PlanRequest(bench.profile.home, ToolPose(target @ Pose((0.0, 0.0, -0.045))), opening=0.08))
    world = GraspSnapping(bench.world, bench.planner)
    bench.world.load(episode.scene)
    world.begin(episode.scene)
    world.apply(chunk)
    while world.arm is MotionState.RUNNING:
        world.step()
    world.apply(Joints(bench.profile.home))
    world.apply(Grip(0.0))
    assert (world.arm, world.gripper) == (MotionState.RUNNING, MotionState.RUNNING)
    while world.gripper is MotionState.RUNNING:
        world.apply(Joints(bench.profile.home))  # as a closed-loop policy does in each period
        world.apply(Grip(0.0))
        assert world.assisting
        now = world.step()
    assert now.held == prop.name and not world.assisting
    world.apply(Joints(bench.profile.home))
    assert world.arm is MotionState.RUNNING, 'it moves again'


@pytest.mark.parametrize('ends', [lambda world: world.apply(Grip(0.08)), GraspSnapping.hold_gripper, GraspSnapping.hold_arm])
def test_another_gripper_command_or_a_halt_ends_the_move_onto_a_grasp(bench, grasp, ends):
    episode, _, _, target = grasp
    world = GraspSnapping(bench.world, bench.planner)
    bench.world.load(episode.scene)
    world.begin(episode.scene)
    world.apply(bench.planner.plan(PlanRequest(bench.profile.home, ToolPose(target @ Pose((0.0, 0.0, -0.045))), opening=0.08)))
    while world.arm is MotionState.RUNNING:
        world.step()
    world.apply(Grip(0.0))
    world.step()
    ends(world)
    assert world.arm is not MotionState.RUNNING
    for _ in range(20):
        now = world.step()
    assert not now.held and now.opening > 0.07


def test_sub_goals_are_told_one_after_the_other(bench):
    episode = catalogue.build('vlmbench/stack', 'seen', 3)
    expert = Expert()
    run, _ = played(bench, episode, expert, SUBGOALS)
    assert run.report.verdict is Verdict.SUCCESS
    assert len(expert.told) >= 2
    assert len(set(expert.told)) == len(expert.told)
    assert all(sentence.startswith('See to it that the ') for sentence in expert.told)
    assert episode.instruction.text not in expert.told


def test_two_aids_that_say_what_comes_next_exclude_each_other():
    with pytest.raises(ConfigError, match='Choose one of them'):
        read(['steps', 'subgoals'])


@pytest.mark.long
def test_steps_are_told_one_after_the_other_while_the_hand_is_empty():
    arm, episode, expert = Bench('ur5e'), catalogue.build('lohoravens/stack_same_color', 'train', 3), Expert()
    run, _ = played(arm, episode, expert, STEPS)
    arm.close()
    assert run.report.verdict is Verdict.SUCCESS
    assert len(expert.told) >= 2 and all(sentence.startswith('pick up ') for sentence in expert.told)
    assert episode.instruction.text not in expert.told


def test_after_the_last_step_the_policy_is_stopped(bench):
    episode = catalogue.build('vlmbench/pick_place', 'seen', 3)
    guide = Guide(episode.goal, episode.goal, aids=(STEPS,), steps=lambda start, now: '' if now.seq > 4 else 'Put it there.')
    start = bench.world.load(episode.scene)
    guide.see(start)
    assert guide.subgoal == 'Put it there.' and not guide.stop
    guide.see(replace(start, seq=5, held='block_1'))
    assert guide.subgoal == 'Put it there.' and not guide.stop  # what is in the hand has not come to its place yet
    guide.see(replace(start, seq=6))
    assert not guide.subgoal and guide.stop


@pytest.fixture(scope='module')
def grasp(bench):
    """A prop, and a tool pose from straight above that takes it."""
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0, 'color')
    start = bench.world.load(episode.scene)
    prop = next(p for p in episode.scene.now(start) if p.name == episode.goal.props()[0].name)
    targets = [prop.pose @ found.tool for found in bench.planner.grasps(prop)]
    return episode, start, prop, min(targets, key=lambda target: target.rotation[2, 2])


@pytest.mark.parametrize(
    ('off', 'turned', 'snaps'),
    [(0.04, 0.0, True), (0.0, 9.0, True), (0.03, 8.0, True), (0.0, 40.0, False), (0.12, 0.0, False)],
)
def test_a_hand_is_put_onto_a_grasp_that_is_near_and_no_other(bench, grasp, off, turned, snaps):
    episode, start, prop, target = grasp
    tool = target @ Pose.from_rpy((0.0, 0.0, -off), (radians(turned), 0.0, 0.0))
    now = replace(start, tool=tool, opening=0.08)
    snapping = GraspSnapping(bench.world, bench.planner)
    snapping.begin(episode.scene)
    move = snapping.grasp(Grip(0.0), now)
    assert (move is not None) is snaps
    if snaps:
        assert move.straight
        assert move.allowed == (prop.name,)
        assert move.pose.distance(tool) < 0.05
        assert move.pose.angle(tool) < radians(10.0)
    assert snapping.grasp(Grip(0.08), replace(now, opening=0.02)) is None  # it opens
    assert snapping.grasp(Grip(0.08), replace(now, opening=0.0800004)) is None  # it stays open
    assert snapping.grasp(Grip(0.0), replace(now, held=prop.name)) is None


def test_what_a_hand_would_miss_it_holds_with_snapping(bench, grasp):
    episode, _, prop, target = grasp
    above = target @ Pose((0.0, 0.0, -0.045))
    held = {}
    for assist in ((), (SNAPPING,)):
        follows = Follows(ToolPose(above), Grip(0.0), Wait(0.2))
        _, seen = played(bench, episode, follows, *assist)
        held[assist] = any(snapshot.held == prop.name for snapshot in seen)
    assert held == {(): False, (SNAPPING,): True}


class Notes(Expert):
    """The expert, who notes its waypoints."""

    def __init__(self):
        super().__init__()
        self.poses = []

    def act(self, observation):
        command = self.oracle.act(observation)
        if isinstance(command, ToolPose):
            self.poses.append(command)
        return command


@pytest.mark.long
def test_who_knows_the_waypoints_alone_is_given_the_hand(bench):
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0, 'color')
    notes = Notes()
    assert bench.run(episode, notes).report.verdict is Verdict.SUCCESS
    verdicts = {}
    for assist in ((), (HAND,)):
        wrong = [command for pose in notes.poses for command in (pose, Grip(0.0))]  # its own hand closes each time
        run, _ = played(bench, episode, Follows(*wrong), *assist)
        verdicts[assist] = run.report.verdict
        assert run.report.assistance == assist
    assert verdicts == {(): Verdict.FAILURE, (HAND,): Verdict.SUCCESS}


@pytest.mark.parametrize('task', ['vlmbench/pick_place', 'arnold/open_drawer'])
def test_the_policy_begins_where_the_expert_has_grasped(bench, task):
    episode = catalogue.build(task, catalogue.splits(task)[0], 0)
    alone, film = bench.run(episode, policy('oracle')), Watcher()
    follows = Follows(Wait(0.2))
    helped = aided(follows, (GRASP,), bench, episode)
    run = bench.run(episode, helped, helped, film, assisted=helped.assisted)
    begins = next(i for i, now in enumerate(film.seen) if now.held)
    assert run.hashes[: begins + 1] == alone.hashes[: begins + 1] and len(set(run.hashes)) > 20
    assert not follows.commands and all(now.held for now in film.seen[begins:])
    assert (run.report.assistance, run.report.causes) == ((GRASP,), ('stopped',))
    expert, _ = played(bench, episode, Expert(), GRASP)
    assert expert.report.verdict is Verdict.SUCCESS, expert.report.causes


@pytest.mark.long
def test_a_given_hand_goes_on_where_a_given_grasp_ends(bench):
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0, 'color')
    notes = Notes()
    bench.run(episode, notes)
    before = len(lent('panda', episode, [HAND]).hands) - len(lent('panda', episode, [GRASP, HAND]).hands)
    assert 0 < before < len(notes.poses)
    run, _ = played(bench, episode, Follows(*notes.poses[before:]), GRASP, HAND)
    assert run.report.verdict is Verdict.SUCCESS, run.report.causes


def test_who_grasps_nothing_lends_nothing():
    closing = catalogue.build('arnold/close_cabinet', 'test', 100_001)
    assert lent('panda', closing, [GRASP]) == lent('panda', closing, [SNAPPING, SUBGOALS]) == NOTHING


def test_aids_are_named_once_in_order_and_what_is_none_is_refused():
    assert read(['subgoals,oracle_stop', 'subgoals']) == ('oracle_stop', 'subgoals')
    assert read([]) == ()
    with pytest.raises(ConfigError, match='Did you mean grasp_snapping'):
        read(['grasp_snaping'])


class Peeks(Player):
    """Looks at what each pixel is of, and stops."""

    def reset(self, context):
        self.seen = set()

    def act(self, observation):
        self.seen |= {int(number) for picture in observation.pictures.values() for number in np.unique(picture.ids)}
        return Stop()


def test_what_each_pixel_is_of_is_shown_with_an_aid_that_the_report_names():
    episode, looking = catalogue.build('vlmbench/pick_place', 'seen', 0, 'color'), Bench('panda', 'vlmbench:front', width=64, height=48)
    alone, helped = Peeks(), Peeks()
    run = looking.run(episode, alone)
    assert alone.seen == {0} and not run.report.assistance
    run, _ = played(looking, episode, helped, IDS_AID)
    assert {episode.scene.ids[prop.name] for prop in episode.scene.props} & helped.seen
    assert run.report.assistance == ('segmentation',)
    looking.close()
