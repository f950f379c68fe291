"""All checks of annotate's rows; see `manage.py fsck`."""

from annotate.checks import collections, constraints, judgments, seats, training
from annotate.checks.check import Check

CHECKS: list[Check] = [
    *seats.CHECKS,
    *judgments.CHECKS,
    *collections.CHECKS,
    *training.CHECKS,
    *constraints.CHECKS,
]
