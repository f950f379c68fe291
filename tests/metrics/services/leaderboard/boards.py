"""Leaderboards and comparisons, computed at once as a worker would."""

from annotate.services.background import kept
from metrics.services.leaderboard import computation


def compute(*, collection, spec):
    return kept.compute(inquiry=computation.inquiry_of(collection=collection, spec=spec))


def find(*, collection, spec):
    return kept.find(inquiry=computation.inquiry_of(collection=collection, spec=spec))
