"""A bag holds labels on three levels of language, the trace of the expert's skills, and pictures of its key steps."""

import json
from dataclasses import replace

import numpy as np
import pytest

from test.plays import Film
from vlm_bench_sim.bags.choice import Choice
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.render.jpeg import jpeg, pixels
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.fields import header
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.labels import NO_LABELS, Labels, labels, plain
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.spans import CUT, SkillSpan
from vlm_bench_tasks.judging.key_steps import KeyStep
from vlm_bench_tasks.judging.messages import event_fields, report_fields
from vlm_bench_tasks.judging.report import Event, LeafReport, Report
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.skills.trace import SkillBegun, SkillEnded

TASK, SEED = 'clevrskills/touch_push', 2500


@pytest.fixture(scope='module')
def stage():
    """A bench with the camera of the base."""
    bench = Bench(catalogue.task(TASK).robot, 'clevrskills:base', width=96, height=96)
    yield bench
    bench.close()


@pytest.fixture(scope='module')
def played(stage, tmp_path_factory):
    """The labels of an episode of the expert, its film and its report."""
    episode = catalogue.build(TASK, 'seen', SEED)
    film, recorder = Film(), Recorder(stage, episode, folder=tmp_path_factory.mktemp('bags'), choice=Choice(rate=1.0))
    report = stage.run(episode, policy('oracle'), film, recorder).report
    return labels(recorder.close(report)), film, report


def test_each_step_names_the_clause_that_it_serves(played):
    found, _, report = played
    assert found.steps
    for _, step in found.steps:
        assert step.subtask == report.leaves[step.leaf].words
    assert [seq for seq, _ in found.steps] == sorted(seq for seq, _ in found.steps)


def test_skills_lie_within_the_one_that_called_them(played):
    found, film, report = played
    assert [one.number for one in found.skills] == list(range(len(found.skills))) and found.skills[0].parent == -1
    for one in found.skills:
        assert 0 <= one.begin <= one.end <= report.seq
        if one.parent >= 0:
            parent = found.skills[one.parent]
            assert parent.begin <= one.begin and one.end <= parent.end
    assert sum(event.kind is EventKind.SKILL_BEGUN for event in film.events) == len(found.skills) >= 2


def test_a_key_step_is_where_its_clause_became_true_and_shows_that_state(played, stage):
    found, film, report = played
    goal = catalogue.build(TASK, 'seen', SEED).goal
    assert found.key_steps and {one.seq for one in found.key_steps} == found.pictures.keys()
    for one in found.key_steps:
        assert one.words == report.leaves[one.clause].words
        (seen,) = found.pictures[one.seq]
        (camera,) = stage.cameras
        assert seen.camera == 'base'
        for drawn, robot in ((seen.shown, True), (seen.hidden, False)):
            assert drawn == jpeg(stage.picture(camera, film.snapshots[one.seq], robot=robot))
    assert found.key_steps[-1].seq <= report.seq and goal.leaves()


def test_the_robot_is_in_one_of_the_pictures_and_not_in_the_other(played, stage):
    found, film, _ = played
    (camera,), seq = stage.cameras, found.key_steps[0].seq
    ids = [stage.picture(camera, film.snapshots[seq], robot=robot).ids for robot in (True, False)]
    robot = set(np.unique(ids[0])) - set(np.unique(ids[1]))
    assert len(robot) >= 1 and np.isin(ids[0], list(robot)).mean() > 0.02
    shown, hidden = (pixels(drawn).astype(int) for drawn in (found.pictures[seq][0].shown, found.pictures[seq][0].hidden))
    assert np.abs(shown - hidden)[np.isin(ids[0], list(robot))].mean() > 20  # of 255


def test_labels_are_json_with_the_frames_that_they_fall_into(played):
    found, _, report = played
    begins = range(0, report.seq, 2)
    told = json.loads(json.dumps(plain(found, begins)))

    def frame(seq):
        return next((index for index, begin in enumerate(begins) if begin >= seq), None)

    assert [one['seq'] for one in told['steps']] == [seq for seq, _ in found.steps]
    assert all(one['frame'] == frame(one['seq']) for one in told['steps'] + told['key_steps'])
    assert all((one['begin_frame'], one['end_frame']) == (frame(one['begin']), frame(one['end'])) for one in told['skills'])
    assert told['key_steps'][0]['cameras'] == ['base'] and told['skills'][0]['skill'] == found.skills[0].skill


def test_what_begins_after_the_last_frame_has_none():
    told = plain(Labels(skills=(SkillSpan(0, -1, 'put', 'it', 0, 4, 5, CUT),), key_steps=(KeyStep(5, 0, 'it is there'),)), (0, 2, 4))
    assert (told['skills'][0]['begin_frame'], told['skills'][0]['end_frame'], told['key_steps'][0]['frame']) == (2, None, None)


def test_pictures_of_key_steps_can_be_left_out(stage, tmp_path):
    episode = replace(catalogue.build(TASK, 'seen', SEED), horizon=0.2)
    recorder = Recorder(stage, episode, folder=tmp_path, choice=Choice(leave_out=('key_step',), rate=1.0))
    bag = recorder.close(stage.run(episode, policy('still'), recorder).report)
    assert labels(bag) == NO_LABELS


class Half(Oracle):
    """The expert, who stops in the middle of a skill."""

    def act(self, observation):
        self.over = observation.truth.seq > 0
        return Stop() if self.over else super().act(observation)

    @property
    def notes(self):
        return () if self.over else super().notes


def test_a_skill_that_the_end_cuts_short_ends_with_the_episode(stage, tmp_path):
    episode = catalogue.build(TASK, 'seen', SEED)
    recorder = Recorder(stage, episode, folder=tmp_path, choice=Choice(topics=('/joint_states',)))
    report = stage.run(episode, Half(), recorder).report
    found = labels(recorder.close(report))
    assert found.skills and {(one.outcome, one.end) for one in found.skills} == {(CUT, report.seq)}


@pytest.mark.parametrize(
    ('kind', 'told', 'complaint'),
    [
        (EventKind.SKILL_ENDED, SkillEnded(3, 'done'), 'Skill 3 ended in a bag, but it did not begin'),
        (EventKind.SKILL_BEGUN, Pose(), 'found that of a Pose'),
        (EventKind.SKILL_ENDED, SkillBegun(0, -1, 'put', 'it', 0), 'found that of a SkillBegun'),
    ],
)
def test_a_label_that_is_none_is_an_error(tmp_path, kind, told, complaint):
    writer = BagWriter(tmp_path, 'odd', custom={})
    writer.write_value(names.EVENTS, event_fields(Event(0, kind, 'x', dumps(told)), 'token'))
    with pytest.raises(BagError, match=rf'odd holds an invalid label: .*{complaint}.* Leave the bag out'):
        labels(writer.close({}))


def test_a_bag_that_broke_off_has_its_key_steps_up_to_the_last_report(tmp_path):
    writer = BagWriter(tmp_path, 'broken', custom={})
    for seq, holds in enumerate((False, True)):
        writer.write_value(names.WORLD_STATE, {'header': header(seq + 1), 'seq': seq})
        writer.write_value(names.RUNNING_REPORT, report_fields(Report(seq=seq, leaves=(LeafReport('it is there', holds, 0.0),)), seq + 1))
    assert labels(writer.close({})).key_steps == (KeyStep(1, 0, 'it is there'),)


def test_a_camera_whose_name_would_leave_the_folder_is_refused(tmp_path):
    writer = BagWriter(tmp_path, 'hostile', custom={})
    writer.write_value(names.KEY_STEP.camera('../../x'), {'data': b''})
    with pytest.raises(BagError, match=r"a camera called '../../x'. A name has letters, digits and _"):
        labels(writer.close({}))
