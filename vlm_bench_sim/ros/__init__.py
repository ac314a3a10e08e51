"""The ROS surface: names (pure), fields (value ↔ plain fields) and convert (plain fields ↔ message classes)."""
