"""How mugs are tilted and areas are stroked; and both tasks from beginning to end."""

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from test.plays import bench
from vlm_bench_sim import profiles
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import inside
from vlm_bench_sim.core.protocols import Feasibility
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.alternatives import at_start
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.skills import CommandFailed, SkillContext, SkillFailed, pour, skill_for, wipe
from vlm_bench_tasks.skills.tilting import GAP, LEANS, RISES, SHORT, TILTS, Pouring, alike, mouth_of, rim, walls
from vlm_bench_tasks.skills.vessel import Work

TILTS_DEGREES = np.degrees(TILTS).tolist()


@cache
def episode(task: str, axis: str, seed: int = 0):
    return catalogue.build(f'vlmbench/{task}', 'seen', seed, axis)


def vessels(axis: str = 'relative'):
    built = episode('pour', axis)
    source, receiver = (built.scene.prop(built.instruction.refs[blank].prop) for blank in ('source', 'receiver'))
    return source, receiver


class Refusing:
    """A planner that finds everything out of reach."""

    def grasps(self, _prop):
        return ()

    def check(self, _request, _chain):
        return Feasibility(False, 0.0, 'out of reach')


def skill_context(task: str, axis: str, robot: str = 'panda') -> SkillContext:
    return SkillContext(profiles.robot(robot), episode(task, axis).scene, Refusing())


def test_a_tilted_mug_keeps_its_lip_over_the_receiver_and_clear_of_it():
    source, receiver = vessels()
    pouring = Pouring(source, mouth_of(receiver), lip=0.4, flow=1.2)
    top = receiver.pose.position[2] + receiver.size[2] / 2
    lips = []
    for tilt in TILTS:
        pose = pouring.pose(tilt)
        assert pose.apply(source.solid.vertices)[:, 2].min() == pytest.approx(top + GAP, abs=1e-6)
        assert np.arccos(np.clip(pose.rotation[2, 2], -1, 1)) == pytest.approx(tilt, abs=1e-6)
        lips.append(pose.apply([rim(source, 0.4)])[0])
    assert np.ptp(np.array(lips)[:, :2], axis=0) == pytest.approx((0.0, 0.0), abs=1e-9)
    before = receiver.pose.apply([receiver.solid.cavity.centre])[0][:2] - lips[0][:2]
    assert before == pytest.approx(SHORT * receiver.solid.cavity.size[0] / 2 * np.array([np.cos(1.2), np.sin(1.2)]))


def tilted(back: float, room: float = 0.0):
    """Tilt a full mug that hangs back by so much, degrees, as soon as it is tilted; return each tilt that it has, and what came of it.

    The hand has no room there that is lower than `room`, m, above where the mug must be, once it is tilted by 90°.
    """
    built, (source, receiver) = episode('pour', 'relative'), vessels()
    pouring, in_tool = Pouring(source, mouth_of(receiver), lip=0.4, flow=1.2), Pose.from_rpy((0.0, 0.02, 0.06), (0.3, 3.0, 0.0))
    water = source.pose.inverse().apply(built.goal.beads.centres)

    def seen(tool: Pose, pose: Pose) -> Snapshot:
        now, beads = at_start(built.scene), tuple(tuple(map(float, centre)) for centre in pose.apply(water))
        return replace(now, tool=tool, held=source.name, bodies={**now.bodies, source.name: Body(pose)}, beads={'water': beads})

    tools, tilts = [pouring.pose(tilt) @ in_tool.inverse() for tilt in TILTS], []
    begun = seen(tools[0], pouring.pose(0.0))
    hung = tools[1].inverse() @ pouring.pose(TILTS[1] - np.radians(back))
    tilting = pour._tilt(work_of(built.goal, source, begun, skill_context('pour', 'relative')), pouring, begun)
    command = next(tilting)
    try:
        while True:
            pose = command.pose @ hung
            if (
                pose.rotation[2, 2] < 0.0
                and pose.apply(source.solid.vertices)[:, 2].min() < receiver.pose.position[2] + receiver.size[2] / 2 + GAP + room - 1e-6
            ):
                command = tilting.throw(CommandFailed('The receiver is in the way.'))
                continue
            now = seen(command.pose, command.pose @ hung)
            tilts.append(float(np.degrees(np.arccos(now.pose(source.name).rotation[2, 2]))))
            command = tilting.send(now)
    except StopIteration as ended:
        return tilts, ended.value[1:]


def test_a_mug_that_hangs_back_a_little_is_tilted_on_from_how_it_hangs():
    tilts, (reached, swings) = tilted(12.0)
    assert tilts == pytest.approx([TILTS_DEGREES[1] - 12.0, *TILTS_DEGREES[2:]], abs=1e-6)
    assert reached == len(TILTS) - 1 and not swings


def test_where_the_hand_has_no_room_beside_the_receiver_it_tilts_on_higher_and_not_back():
    tilts, (reached, swings) = tilted(12.0, room=RISES[1])
    assert tilts == pytest.approx([TILTS_DEGREES[1] - 12.0, *TILTS_DEGREES[2:]], abs=1e-6)
    assert reached == len(TILTS) - 1 and not swings
    tilts, (reached, _) = tilted(12.0, room=2 * RISES[-1])
    assert tilts[-1] <= 90.0 + 1e-6 and reached == len(tilts)


def test_a_mug_that_swings_between_the_pads_is_given_up_at_once():
    tilts, (reached, swings) = tilted(30.0)
    assert tilts == pytest.approx([TILTS_DEGREES[1] - 30.0])
    assert reached == 1 and swings


class Asked:
    """A planner that finds everything in reach but what `refuse` gives a reason against; it remembers what it was asked about."""

    def __init__(self, refuse=lambda _chain: ''):
        self.chains, self._refuse = [], refuse

    def check(self, _request, chain):
        self.chains.append(chain)
        reason = self._refuse(chain)
        return Feasibility(not reason, 0.0, reason)


def work_of(goal, source, now, context):
    mouth = mouth_of(goal.receiver.at(now.pose(goal.receiver.name)))
    return Work(goal.beads.name, source, mouth, tuple(TILTS[i] for i in pour.CHECKED), context)


def asked(planner: Asked):
    """Return the goal, the full mug, the table at the start with joints, and pouring with that planner."""
    built, (source, _) = episode('pour', 'relative'), vessels()
    now = replace(at_start(built.scene), joints={name: JointState(0.0) for name in profiles.robot('panda').joints})
    return built.goal, source, now, work_of(built.goal, source, now, SkillContext(profiles.robot('panda'), built.scene, planner))


def test_a_grip_of_no_use_is_not_tried_again_with_the_hand_turned_half():
    _, source, now, work = asked(Asked())
    first, second = islice(walls(source), 2)
    assert alike(first, second)
    found = list(islice(work._feasible(now, [], [first]), 4))
    assert found and not any(alike(first, grasp) for grasp in found)


def test_a_grasp_is_asked_about_with_the_whole_way_that_the_arm_will_take():
    planner = Asked()
    _, _, now, work = asked(planner)
    next(work._feasible(now, [], []))
    approach, *line = planner.chains[1]
    assert not approach.straight and len(line) == 2 + len(pour.CHECKED) and all(link.straight for link in line)


def test_a_grasp_from_which_no_line_leads_over_the_receiver_is_still_taken_where_another_way_does():
    _, _, now, work = asked(Asked(lambda chain: 'cannot follow' if len(chain) > 2 and chain[3].straight else ''))
    assert next(work._feasible(now, [], [])) is not None


@pytest.mark.parametrize(('reason', 'rise'), [('mug_2 and panda_hand 9.0 mm into each other', RISES[1]), ('out of reach', 0.0)])
def test_a_way_to_pour_is_tried_higher_where_the_receiver_is_in_the_way(reason, rise):
    goal, source, now, work = asked(planner := Asked())
    held = source.at(Pose.from_rpy((0.0, 0.02, 0.06), (0.3, 3.0, 0.0)))
    planner._refuse = lambda _chain: reason.replace('mug_2', goal.receiver.name) if len(planner.chains) == 1 else ''
    way = next(work.ways(held, now, lips=1))
    assert way.rise == rise and len(planner.chains) == 2


def test_walls_are_taken_across_with_the_hand_leaning_and_away_from_the_handle():
    source, _ = vessels()
    cavity = source.solid.cavity
    grasps = list(walls(source))
    assert len(grasps) > 24
    for grasp in grasps:
        x, y, z = grasp.tool.position
        radial = np.array([x - cavity.centre[0], y - cavity.centre[1]])
        assert abs(np.hypot(*radial) - cavity.size[0] / 2) < 0.012 and 0.005 < cavity.high[2] - z < 0.03
        opening = grasp.tool.rotation[:2, 1]
        assert abs(opening @ radial) / np.linalg.norm(opening) / np.linalg.norm(radial) > 0.99
        assert min(LEANS) - 0.2 < np.arccos(-grasp.tool.rotation[2, 2]) < max(LEANS) + 0.2
        sides = grasp.tool.apply([(0.0, side * 0.013, 0.0) for side in (1, -1)])
        assert sorted(inside(source.at(Pose()), sides).tolist()) == [False, True]


@pytest.mark.parametrize(('kind', 'lean'), [('mug1', max(LEANS)), ('mug5', min(LEANS))])
def test_the_hand_leans_least_first_where_a_narrow_wall_would_turn_between_the_pads(kind, lean):
    mug = replace(vessels()[0], kind=kind, size=usual_size(kind))
    # The narrow mug narrows towards its rim: its wall turns the hand by 3° more.
    assert np.arccos(-next(walls(mug)).tool.rotation[2, 2]) == pytest.approx(lean, abs=0.06)


def test_a_robot_without_fingers_says_that_it_cannot_pour():
    built = episode('pour', 'relative')
    skill = skill_for(built.goal, at_start(built.scene), skill_context('pour', 'relative', 'panda_vacuum'))
    with pytest.raises(SkillFailed, match='Suction cups cannot grip the wall'):
        next(skill)


def test_nothing_in_reach_is_said_with_its_cause():
    for task, axis in (('pour', 'relative'), ('wipe', 'size')):
        built = episode(task, axis)
        now = replace(at_start(built.scene), joints={name: JointState(0.0) for name in profiles.robot('panda').joints})
        with pytest.raises(SkillFailed, match=r'Cannot (take .*: out of reach|pick up .* known)'):
            next(skill_for(built.goal, now, skill_context(task, axis)))


def test_an_empty_table_offers_nothing_to_pour():
    built = episode('pour', 'relative')
    now = at_start(built.scene)
    spilled = tuple((0.9, 0.4, 0.004) for _ in built.goal.beads.centres)
    with pytest.raises(SkillFailed, match='nothing can be poured'):
        next(skill_for(built.goal, replace(now, beads={'water': spilled}), skill_context('pour', 'relative')))


@pytest.mark.parametrize('axis', ['size', 'direction'])
def test_the_first_stroke_passes_over_most_of_the_dirt(axis):
    built = episode('wipe', axis)
    goal, now = built.goal, at_start(built.scene)
    sponge = built.scene.prop(goal.dirt.wiper)
    strokes = wipe._strokes(goal, sponge, now)
    assert [s.count for s in strokes] == sorted((s.count for s in strokes), reverse=True)
    for stroke in islice(strokes, 4):
        assert stroke.count >= len(goal.dirt.centres) / 2
        along = (stroke.end - stroke.begin) / np.linalg.norm(stroke.end - stroke.begin)
        assert abs(along @ (np.cos(stroke.yaw), np.sin(stroke.yaw))) < 1e-6
        offsets = (np.array(goal.dirt.centres)[:, :2] - stroke.begin) @ (-along[1], along[0])
        assert (np.abs(offsets) < sponge.size[0] * 0.4).sum() >= stroke.count


def test_dirt_is_wiped_off_from_beginning_to_end():
    run = bench().run(episode('wipe', 'direction'), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS
    assert run.failures == ()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_water_is_poured_from_beginning_to_end():
    run = bench().run(episode('pour', 'size'), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS
