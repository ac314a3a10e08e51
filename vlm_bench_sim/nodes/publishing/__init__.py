"""What a simulator tells once a control period: states, frames, cameras, actions, and who listens."""
