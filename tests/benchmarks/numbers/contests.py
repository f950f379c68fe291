"""One piece of work for us and for each peer."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

Work = Callable[[], Any]


@dataclass
class Contest:
    """One piece of work: ours, and each peer's (None where it is not installed).

    scale : factor of a peer's time, where it gets a part of the work
    """

    work: str
    goal: str
    ours: Work
    peers: dict[str, Work | None]
    scale: dict[str, float] = field(default_factory=dict)
    memory: bool = False


def optional(name: str) -> ModuleType | None:
    """A module if it is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
