"""Bring the tool to one to three poses that pictures show, in order (ClevrSkills, MatchPose)."""

from vlm_bench_tasks.authoring import PICTURES, Episode, Once, Task, say, then
from vlm_bench_tasks.suite.clevrskills._steps import Draw, at_pose, matched


def build(draw: Draw) -> Episode:
    poses = draw.poses(4)
    count = draw.whole(1, 3)
    scene = draw.table(*draw.things(1))
    goals = [then(*(Once(at_pose(pose)) for pose in (poses * 2)[i : i + count])) for i in range(len(poses))]
    names = [f'{{k{i}}}' for i in range(1, count + 1)]
    listed, order = ' and then '.join(names), ', followed by '.join(names)
    return Episode(
        scene=scene,
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            f'Match the pose of the end effector in {order}.',
            f'Bring the tool to the pose in {listed}.',
            f'The arm should hold its tool as in {listed}.',
            f'Move until the tool looks as in {order}.',
            f'Copy what the end effector does in {listed}.',
            **{f'k{i}': matched(scene, pose) for i, pose in enumerate(poses[:count], start=1)},
        ),
    )


TASK = Task(build, axes=('goal',), horizon=40.0, level='L0', prompts=(PICTURES,), revision=2)
