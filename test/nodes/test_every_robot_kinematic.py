"""The same manners over bare kinematics, by the system's clock and without episodes; with nothing to touch, nothing stalls."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from served_robot import ServedRobot
from test_every_robot import (  # noqa: F401
    fleet,
    plain,
    robot,
    test_a_cancel_holds_the_arm_where_it_is,
    test_a_cancel_of_the_gripper_is_answered_and_it_goes_on_with_the_next,
    test_a_chunk_on_the_topic_preempts_a_goal,
    test_a_chunk_that_no_arm_could_follow_is_ignored_and_said,
    test_a_goal_on_either_action_aborts_the_first,
    test_a_goal_that_is_not_met_in_time_aborts_unless_it_has_no_tolerance,
    test_a_joint_of_the_gripper_can_be_named_and_its_state_tells_them_all,
    test_a_later_stamp_means_that_each_point_is_reached_later,
    test_a_path_tolerance_of_zero_or_less_checks_nothing_by_default,
    test_a_pose_that_the_panda_takes_and_the_fr3_refuses,
    test_a_second_goal_aborts_the_first,
    test_a_trajectory_moves_the_arm_where_and_when_it_says,
    test_an_earlier_stamp_goes_on_where_the_trajectory_is_by_now,
    test_it_tells_what_it_is_under_the_names_of_its_profile,
    test_joints_in_another_order_are_put_in_order,
    test_leaving_the_path_aborts_and_the_arm_holds,
    test_positions_alone_on_the_topic_move_the_arm,
    test_the_time_to_settle_is_the_default_at_zero_and_endless_at_minus_one,
    test_what_is_no_number_or_no_joint_is_rejected_with_a_reason,
    test_what_is_out_of_range_is_aborted_with_a_reason_and_nothing_moves,
    test_what_no_arm_could_follow_is_rejected_with_a_reason_and_the_arm_holds,
    test_with_nothing_there_a_gripper_reaches_its_goal,
)

from vlm_bench_sim.profiles import robots

pytestmark = pytest.mark.ros
KIND = ServedRobot
QUICK = 'ur5e'


@pytest.fixture(scope='module', params=[pytest.param(name, marks=() if name == QUICK else pytest.mark.slow) for name in robots()])
def served(request, fleet):  # noqa: F811
    robot = fleet(request.param)  # noqa: F811
    try:
        yield robot.__enter__()
    finally:
        robot.stop()
