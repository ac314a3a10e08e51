"""Ask a running driver what the bench relies on, and print what differs."""

import os

from rich.console import Console
from rich.text import Text

from vlm_bench_sim import profiles
from vlm_bench_sim.ros import installed
from vlm_bench_tasks.graph import environment


def check_driver(robot: str, console: Console, *, seconds: float, moves: bool) -> int:
    """Print what is found; return 1 if anything differs, and 0 otherwise.

    Raises:
        ConfigError: ROS 2 is missing, or there is no such robot.
    """
    installed.check()
    import rclpy

    from vlm_bench_sim.nodes.base.bench_node import BenchNode
    from vlm_bench_sim.nodes.driving.driver_check import check_driver as found_by
    from vlm_bench_sim.nodes.driving.driver_probe import DriverProbe

    profile = profiles.robot(robot)
    os.environ.update(environment(os.environ))
    rclpy.init()
    node = BenchNode('vlm_bench_check_driver', {})
    differ = count = 0
    try:
        for finding in found_by(DriverProbe(node, profile), seconds=seconds, moves=moves):
            differ, count = differ + finding.differs, count + 1
            if finding.found:
                word = ('differs', 'bold red') if finding.differs else ('note   ', 'yellow')
                only = f' Only {finding.only} needs it.' if finding.only else ''
                console.print(Text.assemble(word, f'  {finding.asked}: {finding.found.rstrip(".")}. {finding.remedy}{only}'))
            else:
                console.print(Text.assemble(('ok', 'green'), f'       {finding.asked}'))
    finally:
        node.close()
        rclpy.try_shutdown()
    rest = '' if moves else ' Nothing was moved; with --move the arm swings a wrist joint by 0.1 rad, and the gripper opens.'
    console.print(f'{differ} of {count} differ.{rest}', highlight=False, markup=False)
    return 1 if differ else 0
