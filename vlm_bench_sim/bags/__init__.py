"""The only writer and reader of bags: rosbag2 version 9 in MCAP, without rclpy and generated packages."""
