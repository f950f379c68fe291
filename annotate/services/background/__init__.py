"""Work of the workers: works that somebody waits for, kept values, progress, housekeeping."""
