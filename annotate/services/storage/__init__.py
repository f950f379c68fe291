"""Rows by COPY, planner statistics, and the deletion of files."""
