"""What a simulator publishes once per control period (states, frames, cameras, actions), and its subscribers."""
