"""What workers do: works that somebody waits for, kept values, progress, housekeeping."""
