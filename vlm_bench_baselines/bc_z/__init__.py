"""A policy that imitates the expert's motion from pictures, like BC-Z (Jang et al. 2021)."""
