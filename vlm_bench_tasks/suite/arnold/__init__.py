"""The tasks of ARNOLD."""
