"""The tasks of ClevrSkills."""
