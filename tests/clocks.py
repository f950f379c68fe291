"""Clocks that pass when a test says so."""

MOMENT = 1_700_000_000  # seconds since 1970, where a clock of the day stands still


class Clock:
    """Seconds, read by calling it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def wait(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.seconds += seconds
