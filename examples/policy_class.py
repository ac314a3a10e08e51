"""A policy as a class: it runs in one process and as a node, unchanged."""

from vlm_bench_sim.core.command import Grip, Stop, ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.policy import Policy


class FirstPolicy(Policy):
    """Dips the tool and closes the hand."""

    def reset(self, context):
        self.words = context.instruction  # with --prompt pictures: Place <image 1> on <image 2>.
        self.wanted = [picture.color for picture in context.pictures]  # (256, 256, 3) uint8 RGB each
        self.commands = iter([ToolPose(Pose((0.45, 0.15, 0.25), (1.0, 0.0, 0.0, 0.0))), Grip(0.0), Stop()])

    def act(self, observation):  # your model's answer to the words and to observation.pictures['front'].color
        return next(self.commands)
