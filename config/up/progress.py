"""The progress of a start, shown to the person at the keyboard."""

import shutil
import sys
import time
from typing import TextIO


class ConsoleProgress:
    """The current step: one changing line on a terminal, in a file one or more lines per step."""

    SECONDS = 5.0  # between two lines of one step where there is no terminal

    def __init__(self, output: TextIO | None = None) -> None:
        self.output = output or sys.stdout
        self.is_terminal = self.output.isatty()
        self.step = self.shown = ""
        self.shown_at = 0.0

    def show(self, step: str, detail: str = "") -> None:
        """Show the step and its progress: show("Packages", "12 of 51")."""
        line = f"{step}: {detail}" if detail else f"{step}."
        if line == self.shown:
            return
        if self.is_terminal:
            # a second row would stay
            self.output.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
        elif step != self.step or time.monotonic() - self.shown_at >= self.SECONDS:
            self.output.write(f"{line}\n")
        else:
            return
        self.output.flush()
        self.step, self.shown, self.shown_at = step, line, time.monotonic()

    def end(self, line: str = "") -> None:
        """End the terminal's line, and write a last line if one is given."""
        if self.is_terminal and self.shown:
            self.output.write("\r\x1b[K")
        if line:
            self.output.write(f"{line}\n")
        self.output.flush()
        self.step = self.shown = ""
