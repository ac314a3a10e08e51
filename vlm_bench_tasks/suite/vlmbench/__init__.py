"""The tasks of VLMbench."""
