"""Processor times of a load and of the product, separately: they share the machine's cores."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil

from tests.scorecard.figures import Figures
from tests.servers.stack import Stack


@dataclass
class ProcessorTimes:
    """Seconds elapsed, of the load's process and of the product's; complete after the block."""

    clock: float = 0
    load: float = 0
    product: float = 0

    def record(self, figures: Figures, when: str) -> None:
        """Record the times, and the load's share of the machine."""
        cores = os.cpu_count() or 1
        figures.record(f"{when}: the load's own processor time", self.load, "s")
        figures.record(f"{when}: the product's processor time", self.product, "s")
        figures.record(
            f"{when}: the load's share of all cores", 100 * self.load / (self.clock * cores), "%"
        )


@contextmanager
def measured_processors(stack: Stack) -> Iterator[ProcessorTimes]:
    """Measure the processor times within the block."""
    result = ProcessorTimes()
    start = time.monotonic(), time.process_time(), _of_all(stack.process.pid)
    yield result
    ended = time.monotonic(), time.process_time(), _of_all(stack.process.pid)
    result.clock, result.load, result.product = (
        after - before for before, after in zip(start, ended, strict=True)
    )


def _of_all(parent: int) -> float:
    """Processor seconds of a process and all its descendants, also of ended ones."""
    seconds = 0.0
    root = psutil.Process(parent)
    for process in [root, *root.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds
