"""Previews that take their time: counted by a worker, found by whoever asked, and by whoever asks the same again.

What is known of a question stands in the cache for a few minutes. Without Redis nobody finds an answer, and the page
says that no worker is there; nothing but a preview is lost.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from django.core.cache import cache

from annotate.models import Collection, QuerySet
from pooling.core.strategies import STRATEGIES
from pooling.models import PoolPair, Run
from pooling.services import choosing, previews
from pooling.services.choosing import PoolError
from pooling.services.previews import Preview

AT_ONCE = 20_000  # results of rankings that are looked at while somebody waits; measured: 0.1 s
FRESH_SECONDS = 120
ERROR_SECONDS = 10
WAIT_SECONDS = 600
ADDS_DEPTH = previews.ADDS_DEPTH


class Question(NamedTuple):
    """What is to be previewed, as it travels to a worker: plain values, `runs` by key."""

    strategy: str
    parameters: Mapping[str, object]
    runs: Sequence[int]
    query_set: int | None
    seed: int
    n_unknown: int = 0  # rows of the runs: fewer once documents joined, and then it is another question

    def key(self) -> str:
        """The same for the same question."""
        told = [self.strategy, sorted(self.parameters.items()), sorted(self.runs), self.query_set, self.seed]
        told.append(self.n_unknown)
        return sha256(json.dumps(told).encode()).hexdigest()[:32]


class Answer(NamedTuple):
    """What is known of a question: a preview, a reason why there is none, or neither while it is being counted."""

    key: str
    preview: Preview | None = None
    field: str = ""
    error: str = ""

    @property
    def is_waiting(self) -> bool:
        """Whether a worker is at it."""
        return self.preview is None and not self.error


def question(
    *, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run], query_set: QuerySet | None, seed: int
) -> Question:
    """A pool's choice as a question."""
    n_unknown = sum(run.n_unknown for run in runs)
    keys = [run.pk for run in runs]
    return Question(strategy, dict(parameters), keys, query_set.pk if query_set else None, seed, n_unknown)


def ask(*, collection: Collection, of: Question) -> tuple[Answer, bool]:
    """The answer, at once where it is small or known, and whether a worker must be sent for it.

    Of many who ask the same one sends the worker.
    """
    known = find(collection=collection, key=of.key())
    if known is not None:
        return known, False
    if _is_small(collection, of):
        return answer(collection=collection, of=of), False
    waiting = Answer(of.key())
    return waiting, cache.add(_place(collection, of.key()), waiting, timeout=WAIT_SECONDS)


def find(*, collection: Collection, key: str) -> Answer | None:
    """What is known of a question that was asked in this collection; None where nobody asked, or long ago."""
    return cache.get(_place(collection, key))


def answer(*, collection: Collection, of: Question) -> Answer:
    """Count, and keep the answer for whoever asks."""
    query_set = collection.query_sets.filter(pk=of.query_set).first()
    runs = list(collection.runs.filter(pk__in=of.runs))
    try:
        found = Answer(
            of.key(),
            previews.preview(
                collection=collection, strategy=of.strategy, parameters=of.parameters, runs=runs,
                query_set=query_set, seed=of.seed,
            ),
        )  # fmt: skip
    except PoolError as error:
        found = Answer(of.key(), None, error.field, str(error))
    # What stood in the way may be gone the next moment; whoever waits for a worker has asked again by then.
    cache.set(_place(collection, of.key()), found, timeout=ERROR_SECONDS if found.error else FRESH_SECONDS)
    return found


def _is_small(collection: Collection, of: Question) -> bool:
    """Whether little is looked at: rows of rankings, and for some strategies all items or all pairs of pools."""
    if of.strategy not in STRATEGIES:
        return True  # refused at once
    needs = STRATEGIES[of.strategy].needs
    if "targets" in needs:
        return False
    n_pooled = 0
    if "pooled" in needs:
        n_pooled = PoolPair.objects.filter(pool__collection=collection)[: AT_ONCE + 1].count()
    runs = list(collection.runs.filter(pk__in=of.runs))
    return choosing.n_rows_at_most(strategy=of.strategy, parameters=of.parameters, runs=runs) + n_pooled <= AT_ONCE


def _place(collection: Collection, key: str) -> str:
    return f"preview:{collection.pk}:{key}"
