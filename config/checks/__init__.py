"""Checks of what a process needs: the database, Redis, the disk; as it starts and by `check`."""
