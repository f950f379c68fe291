"""Background work that somebody waits for, done by one worker at a time, and its progress."""
