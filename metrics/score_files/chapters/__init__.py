"""The rows of the register, by chapter."""
