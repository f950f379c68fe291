"""How much processor time a load and the product each took, told apart: they share the machine's cores."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil

from tests.scorecard.figures import Figures
from tests.stack import Stack


@dataclass
class Spent:
    """Seconds: on the clock, of the load's process and of all the product's; whole once the measuring has ended."""

    clock: float = 0
    load: float = 0
    product: float = 0

    def tell(self, figures: Figures, when: str) -> None:
        """Say it, and which share of the machine the load had."""
        cores = os.cpu_count() or 1
        figures.tell(f"{when}: the load's own processor time", self.load, "s")
        figures.tell(f"{when}: the product's processor time", self.product, "s")
        figures.tell(f"{when}: the load's share of all cores", 100 * self.load / (self.clock * cores), "%")


@contextmanager
def spent(stack: Stack) -> Iterator[Spent]:
    """What is spent within this."""
    result = Spent()
    begun = time.monotonic(), time.process_time(), _of_all(stack.process.pid)
    yield result
    ended = time.monotonic(), time.process_time(), _of_all(stack.process.pid)
    result.clock, result.load, result.product = (after - before for before, after in zip(begun, ended, strict=True))


def _of_all(parent: int) -> float:
    """Processor seconds of a process and all below it, those that have ended included."""
    seconds = 0.0
    root = psutil.Process(parent)
    for process in [root, *root.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds
