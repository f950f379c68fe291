"""Rows by COPY, planner statistics, read transactions, deletion of files, ciphers, the outbox."""
