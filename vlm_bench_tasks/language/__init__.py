"""What the robot is told: references to props, and sentences with paraphrases."""
