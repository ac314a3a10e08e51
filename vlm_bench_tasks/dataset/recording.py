"""Record an in-process run to a bag that has the same format as over ROS: same topics, same types, same custom_data."""

from dataclasses import replace
from pathlib import Path
from secrets import token_hex

from vlm_bench_sim.bags.choice import EVERYTHING, Choice
from vlm_bench_sim.bags.folder import bag_name, check_folder
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.arithmetic import processor
from vlm_bench_sim.core.noise import strayed
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_sim.core.timing import CONTROL_HZ, PERIOD_NS, periods_between, steps_to_ns
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.fields import Fields, header
from vlm_bench_sim.ros.names import Name
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.episode_messages import episode_fields, instruction_fields, truth_fields
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.judges import TRUTH, judge_for
from vlm_bench_tasks.judging.key_steps import KeySteps
from vlm_bench_tasks.judging.messages import event_fields, report_fields
from vlm_bench_tasks.judging.report import Event, Report
from vlm_bench_tasks.run import Bench

RUNNING, ENDED = 2, 3


class Recorder:
    """An observer of a run that writes a bag.

    Args:
        bench: the bench whose world, cameras and renderer are recorded.
        episode: the episode that is run.
        folder: folder for the bag.
        token: identifier of the episode in every message; '': a new one.
        name: name of the bag; '': made from task, split, seed and token.
        choice: topics to record. The default picture rate is that over ROS. Counting occluded pixels for the bounding boxes takes as long
            as rendering the picture.

    Raises:
        ConfigError: the choice names an unknown topic.
        BagError: the folder cannot be written, or holds a bag of that name.
    """

    def __init__(
        self,
        bench: Bench,
        episode: Episode,
        *,
        folder: Path,
        token: str = '',
        name: str = '',
        choice: Choice = EVERYTHING,
    ) -> None:
        self._bench, self._episode = bench, episode
        rows = names.recorded(bench.profile, tuple(camera.name for camera in bench.cameras))
        self._wanted = {row.name for row in choice.of(rows)}
        self._every = periods_between(choice.rate or SETTINGS['camera_rate'].default)
        self._token = token or token_hex(8)
        self._frames = driver.Frames(bench.profile.urdf, tuple(strayed(camera, episode.seeded_perturbation) for camera in bench.cameras))
        name = name or bag_name(episode.task, episode.split, episode.seed, self._token)
        self._bag = BagWriter(check_folder(folder), name, custom=self._about())
        self._monitor = judge_for(TRUTH, episode.goal, Limits(episode.horizon, episode.step_limit))
        self._versions = bench.versions(episode)
        self._ns, self._actions, self._key_steps = PERIOD_NS, driver.Actions(), KeySteps()
        self._newest: Snapshot | None = None

    def period(self, snapshot: Snapshot) -> None:
        """Write the messages of one control period; before the first one, write the latched topics."""
        self._newest = snapshot
        if snapshot.seq == 0:
            self._write_head()
        # A stamp of 0 means "none" in ROS, so the clock of the first episode starts one period late, as in the simulator node.
        self._ns = ns = PERIOD_NS + steps_to_ns(snapshot.step)
        for row, fields in self._actions.news(self._bench.asked, self._bench.world.history, ns=ns, token=self._token):
            self._write(row, fields)
        links = self._bench.links(snapshot)
        for row, fields in driver.state(snapshot, links, self._frames, ns=ns, token=self._token):
            self._write(row, fields)
        perturbations = self._episode.perturbation.labels
        running = replace(self._monitor.observe(snapshot), token=self._token, versions=self._versions, perturbations=perturbations)
        self._write(names.RUNNING_REPORT, report_fields(running, ns))
        if snapshot.seq % self._every == 0:
            self._write_pictures(snapshot, ns)
        if self._key_steps.see(running):
            self._write_key_step(snapshot, ns)
        if snapshot.seq and snapshot.seq % CONTROL_HZ == 0:
            self._write_status(RUNNING, snapshot.seq)
        world = self._bench.world
        arm, gripper = (state is MotionState.RUNNING for state in (world.arm, world.gripper))
        self._write(*driver.tick(snapshot, ns=ns, token=self._token, arm_busy=arm, gripper_busy=gripper))

    def event(self, event: Event) -> None:
        """Write an event."""
        self._monitor.event(event)
        self._write(names.EVENTS, event_fields(event, self._token))

    def close(self, report: Report) -> Path:
        """Write the report, finish the bag and return its path."""
        self._write(names.REPORT, report_fields(report, self._ns) | {'token': self._token})
        self._write_status(ENDED, report.seq)
        return self._bag.close({
            'verdict': report.verdict.value, 'cause': '; '.join(report.causes), 'versions': ' '.join(report.versions),
            'assistance': ' '.join(report.assistance), 'perturbations': '; '.join(report.perturbations), 'isolation': report.isolation,
            'renderer': self._bench.renderer_string, 'score': str(report.score), 'progress': str(report.progress),
            'reward': str(report.reward), 'sim_seconds': str(report.sim_seconds), 'drops': str(report.drops),
            'violations': str(report.violations), 'state_hash': self._hash(report),
        })  # fmt: skip

    def abort(self) -> None:
        """Stop without finishing the bag; data already on disk stays in its hidden folder."""
        self._bag.abort()

    def _hash(self, report: Report) -> str:
        """Return the hash of the state at the verdict; '' if there was none."""
        return state_hash(self._newest) if self._newest and self._newest.seq == report.seq else ''

    def _about(self) -> dict[str, str]:
        episode = self._episode
        return {
            'token': self._token, 'task': episode.task, 'axis': episode.axis, 'split': episode.split, 'seed': str(episode.seed),
            'revision': str(episode.revision), 'robot': self._bench.profile.name, 'instruction': episode.instruction.text,
            'prompt': episode.prompt, 'processor': processor(),
        }  # fmt: skip

    def _write(self, row: Name, fields: Fields) -> None:
        if row.name in self._wanted:
            self._bag.write_value(row, fields)

    def _write_head(self) -> None:
        episode, bench = self._episode, self._bench
        head: list[driver.Content] = [
            (names.ROBOT_DESCRIPTION, {'data': bench.profile.urdf}),
            self._frames.static(0),
            self._scene(),
            (names.EPISODE_TRUTH, truth_fields(episode, self._token)),
            (names.EPISODE, episode_fields(episode, self._token, bench.profile.name)),
            (names.INSTRUCTION, instruction_fields(episode, self._token, bench.prompt_images(episode))),
            *(driver.labels(episode.scene, camera, self._token) for camera in bench.cameras),
            *self._actions.laid_out(ns=self._ns, token=self._token),
        ]  # fmt: skip
        for row, fields in head:
            self._write(row, fields)
        self._write_status(RUNNING, 0)

    def _scene(self) -> driver.Content:
        bench = self._bench
        return driver.scene(
            self._episode.scene, token=self._token, robot=bench.profile.name, renderer=bench.renderer_string, engine=bench.engine
        )

    def _write_pictures(self, snapshot: Snapshot, ns: int) -> None:
        for camera in self._bench.cameras:
            own = {row.name for row in names.picture_names(camera.name)} & self._wanted
            if not own:
                continue
            picture = self._bench.picture(camera, snapshot)
            for row, make in driver.pictures(camera, picture, ns, jpeg).items():
                if row.name in own:
                    self._write(row, make())
            if names.BOXES.camera(camera.name).name in own:
                things = self._bench.visible_boxes(camera, picture, snapshot)
                self._write(*driver.boxes(self._episode.scene, camera, things, ns))

    def _write_key_step(self, snapshot: Snapshot, ns: int) -> None:
        for camera in self._bench.cameras:
            if any(row.camera(camera.name).name in self._wanted for row in names.KEY_STEP_NAMES):
                shown, hidden = (self._bench.picture(camera, snapshot, robot=robot) for robot in (True, False))
                for row, fields in driver.key_step(camera, shown, hidden, ns, encode=jpeg):
                    self._write(row, fields)

    def _write_status(self, state: int, seq: int) -> None:
        left = max(0.0, self._episode.horizon - seq / CONTROL_HZ)
        self._write(names.STATUS, {'header': header(self._ns), 'token': self._token, 'state': state, 'seq': seq, 'time_left': left})
