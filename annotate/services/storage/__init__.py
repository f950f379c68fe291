"""Rows by COPY, planner statistics, read transactions, and the deletion of files."""
