"""Bring the tool to a pose that a picture shows, between objects in the air (ClevrSkills, MoveWithoutHitting)."""

from vlm_bench_tasks.authoring import PICTURES, Episode, Never, Task, Touching, all_of, say
from vlm_bench_tasks.suite.clevrskills._steps import Draw, at_pose, matched


def build(draw: Draw) -> Episode:
    poses = draw.poses(3)
    obstacles = draw.hung(draw.whole(1, 5), poses)
    scene = draw.table(*obstacles)
    goals = [all_of(at_pose(pose), *(Never(Touching(obstacle)) for obstacle in obstacles)) for pose in poses]
    return Episode(
        scene=scene,
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            'Match the pose of the end effector in {k1} without hitting any objects.',
            'Bring the tool to the pose in {k1}, and touch nothing on the way.',
            'The tool should be as in {k1}; keep clear of every object.',
            'Reach the pose in {k1} around the objects in the air.',
            'Copy the pose in {k1}. Do not hit anything.',
            k1=matched(scene, poses[0]),
        ),
    )


TASK = Task(build, axes=('goal',), horizon=40.0, level='L0', prompts=(PICTURES,), revision=2)
