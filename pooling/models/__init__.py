"""Runs, their rankings, and pools: the pairs worth judging."""

from .pools import Pool, PoolPair, PoolRows, PoolSource, PoolStratum
from .run_events import RunEvent
from .runs import Matrix, Ranking, Run, RunRows

__all__ = [
    "Matrix",
    "Pool",
    "PoolPair",
    "PoolRows",
    "PoolSource",
    "PoolStratum",
    "Ranking",
    "Run",
    "RunEvent",
    "RunRows",
]
