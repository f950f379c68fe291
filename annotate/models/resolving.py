"""The names of what core.labels.resolving decides with, and the statuses it gives.

A new rule is one line in PolicyRule and, where its grades go by its name, one in ResolutionStatus.
"""

from django.db import models


class PolicyRule(models.TextChoices):
    """The ways in which labels become a grade."""

    MAJORITY = "majority", "Majority"
    UNANIMOUS = "unanimous", "Unanimous"
    MEDIAN = "median", "Median"
    MODEL = "model", "Model of the annotators (Dawid and Skene)"


class PolicyTie(models.TextChoices):
    """The way out of a tie."""

    DISPUTE = "dispute", "Dispute"
    UP = "up", "Larger grade"
    DOWN = "down", "Smaller grade"


class ResolutionStatus(models.TextChoices):
    """The origin of a pair's grade, or the reason why it has none."""

    SINGLE = "single", "Single"
    AGREED = "agreed", "Agreed"
    MAJORITY = "majority", "Majority"
    MEDIAN = "median", "Median"
    ADJUDICATED = "adjudicated", "Adjudicated"
    MODEL = "model", "Model"
    WAITING = "waiting", "Waits for another label"
    DISPUTED = "disputed", "Disputed"
    ESCALATED = "escalated", "Escalated"


UNGRADED_STATUSES = (
    ResolutionStatus.WAITING,
    ResolutionStatus.DISPUTED,
    ResolutionStatus.ESCALATED,
)
GRADED_STATUSES = tuple(status for status in ResolutionStatus if status not in UNGRADED_STATUSES)
