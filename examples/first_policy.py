"""A policy: hears the instruction, takes a picture, moves the tool, closes the gripper and says that it is done."""

import rclpy
from control_msgs.action import GripperCommand
from geometry_msgs.msg import Point, Pose, Quaternion
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Image

from vlm_bench_msgs.action import MoveTcp
from vlm_bench_msgs.msg import Instruction
from vlm_bench_msgs.srv import StopEpisode

rclpy.init()
node = rclpy.create_node('first_policy')
seen = {}
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
node.create_subscription(Instruction, '/task/instruction', lambda told: seen.update(text=told.text, prompt=told.pictures), latched)
node.create_subscription(Image, '/cameras/front/color/image_raw', lambda message: seen.update(image=message), 5)
arm = ActionClient(node, MoveTcp, '/arm/move_tcp')
gripper = ActionClient(node, GripperCommand, '/panda_hand_controller/gripper_cmd')
task = node.create_client(StopEpisode, '/task/stop')


def wait(future):
    rclpy.spin_until_future_complete(node, future)
    return future.result()


while not (seen.keys() >= {'text', 'image'} and arm.server_is_ready() and gripper.server_is_ready() and task.service_is_ready()):
    rclpy.spin_once(node, timeout_sec=0.1)  # that a server is there wakes nobody
print(seen['text'], f'({seen["image"].width} x {seen["image"].height} pixels; <image 1> is the first of {len(seen["prompt"])} png files)')
above = Pose(position=Point(x=0.45, y=0.15, z=0.25), orientation=Quaternion(x=1.0, w=0.0))  # your model's answer; tool pointing down
goal = MoveTcp.Goal()
goal.target.pose = above
print(wait(wait(arm.send_goal_async(goal)).get_result_async()).result)
goal = GripperCommand.Goal()  # position 0.0: closed
print(wait(wait(gripper.send_goal_async(goal)).get_result_async()).result)
print(wait(task.call_async(StopEpisode.Request())))
