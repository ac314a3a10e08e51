"""What moves a robot: what its driver serves, and what plans paths and sends them there."""
