"""Steps and skills that do not fit each other are refused, and those after the end of the episode are cut off."""

import pytest

from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.dataset.spans import CUT, SkillSpan, skills, steps
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.policies.waypoints import Waypoint
from vlm_bench_tasks.skills.trace import SkillBegun, SkillEnded


def begun(seq, number, parent=-1, leaf=0):
    return Event(seq, EventKind.SKILL_BEGUN, 'x', dumps(SkillBegun(number, parent, 'put', 'it', leaf)))


def ended(seq, number, outcome='done'):
    return Event(seq, EventKind.SKILL_ENDED, 'x', dumps(SkillEnded(number, outcome)))


def step(seq, leaf=0):
    return Event(seq, EventKind.WAYPOINT, 'x', dumps(Waypoint(seq, 'move', 'Control', Pose(), 0.0, leaf=leaf)))


def span(number, parent, begin, end, outcome):
    return SkillSpan(number, parent, 'put', 'it', 0, begin, end, outcome)


def test_skills_are_cut_at_the_end_of_the_episode():
    told = [begun(0, 0), begun(0, 1, 0), ended(5, 1), begun(5, 2, 0), ended(9, 2, 'failed'), ended(9, 0), begun(9, 3)]
    ours = (span(0, -1, 0, 9, 'done'), span(1, 0, 0, 5, 'done'), span(2, 0, 5, 9, 'failed'), span(3, -1, 9, 20, CUT))
    assert skills(told, 20) == ours
    assert skills(told, 8) == (span(0, -1, 0, 8, CUT), ours[1], span(2, 0, 5, 8, CUT))
    assert skills(told, 5) == (span(0, -1, 0, 5, CUT), ours[1], span(2, 0, 5, 5, CUT))


def test_steps_are_cut_at_the_end_of_the_episode():
    assert [seq for seq, _ in steps([step(0, -1), step(3), step(3), step(2**31)], 3)] == [0, 3, 3]


@pytest.mark.parametrize(
    ('told', 'complaint'),
    [
        ([begun(0, 0), begun(1, 0)], 'Skill 0 begins twice'),
        ([begun(0, -3)], 'Skill -3 has a number outside 0 to'),
        ([begun(0, 2**31)], 'has a number outside 0 to'),
        ([begun(0, 0, 0)], 'Skill 0 was called by skill 0, which had not begun'),
        ([begun(0, 0), begun(0, 1, 999)], 'Skill 1 was called by skill 999'),
        ([begun(0, 0, -2)], 'Skill 0 was called by skill -2'),
        ([begun(0, 0, leaf=-2)], 'Skill 0 serves the clause -2'),
        ([begun(0, 0, leaf=2**31)], 'serves the clause 2147483648'),
        ([ended(0, 7)], 'Skill 7 ended in a bag, but it did not begin'),
        ([begun(0, 0), ended(1, 0), ended(2, 0)], 'Skill 0 ended twice'),
        ([begun(4, 0), ended(3, 0)], 'Skill 0 ended in period 3, before it began in period 4'),
        ([begun(0, 0), ended(3, 0, 'exploded')], "Skill 0 ended as 'exploded'; known are done, failed, given_up, cut"),
        ([begun(4, 0), begun(3, 1)], 'A skill begins or ends in period 3, after one in period 4'),
    ],
)
def test_a_skill_that_does_not_fit_the_others_is_refused(told, complaint):
    with pytest.raises(BagError, match=complaint):
        skills(told, 20)


@pytest.mark.parametrize(
    ('told', 'complaint'),
    [
        ([step(40), step(5)], 'A step of period 5 follows one of period 40'),
        ([step(4, -7)], 'The step of period 4 serves the clause -7; clauses are counted from 0'),
        ([step(4, 2**70)], 'The step of period 4 serves the clause 11805916207174113034'),
    ],
)
def test_a_step_that_cannot_be_is_refused(told, complaint):
    with pytest.raises(BagError, match=complaint):
        steps(told, 20)
