"""Derived numbers: written in the background from the judgments, read by pages."""

from .alarms import Alarm, AlarmEvent, AlarmEventKind, AlarmKind, AlarmMail
from .downloads import Download, DownloadKind, DownloadQuerySet
from .plans import Plan, PlanLook
from .releases import (
    Release,
    ReleaseEvent,
    ReleaseEventKind,
    ReleaseFile,
    ReleaseQuerySet,
    ReleaseRun,
)
from .scores import Score
from .snapshots import Observation, RefreshTries, Snapshot
from .tallies import BLOCK_SIZE, Block, Tally

__all__ = [
    "BLOCK_SIZE",
    "Alarm",
    "AlarmEvent",
    "AlarmEventKind",
    "AlarmKind",
    "AlarmMail",
    "Block",
    "Download",
    "DownloadKind",
    "DownloadQuerySet",
    "Observation",
    "Plan",
    "PlanLook",
    "RefreshTries",
    "Release",
    "ReleaseEvent",
    "ReleaseEventKind",
    "ReleaseFile",
    "ReleaseQuerySet",
    "ReleaseRun",
    "Score",
    "Snapshot",
    "Tally",
]
