"""All checks of annotate's rows; see `manage.py fsck`."""

from annotate.checks import collections, judgments, seats, training, walls
from annotate.checks.check import Check

CHECKS: list[Check] = [
    *seats.CHECKS,
    *judgments.CHECKS,
    *collections.CHECKS,
    *training.CHECKS,
    *walls.CHECKS,
]
