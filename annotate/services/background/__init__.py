"""Background work: rows that somebody waits for, done by one worker at a time, and how far they are."""
