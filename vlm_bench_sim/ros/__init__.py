"""The ROS interface: names (pure), fields (value ↔ plain fields) and convert (plain fields ↔ message classes)."""
