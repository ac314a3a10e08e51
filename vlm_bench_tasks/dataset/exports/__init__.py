"""Export bags to training formats: every episode as aligned frames."""
