"""Requests for previews: a worker computes a slow one, and equal requests share its result.

Results stay in the cache for a few minutes. Without Redis no result is found, and the page says
that no worker is there; nothing but a preview is lost.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from django.core.cache import cache

from annotate.models import Collection, QuerySet
from pooling.core.strategies.strategies import STRATEGIES
from pooling.models import PoolPair, Run
from pooling.services.pools import checks, previews
from pooling.services.pools.checks import PoolError
from pooling.services.pools.previews import Preview

SYNCHRONOUS_ROWS = 20_000  # results of rankings that a web request may read itself; measured: 0.1 s
FRESH_SECONDS = 120
ERROR_SECONDS = 10
WAIT_SECONDS = 600
ADDS_DEPTH = previews.ADDS_DEPTH


class PreviewRequest(NamedTuple):
    """A pool to preview, as it travels to a worker: plain values, `runs` by key."""

    strategy: str
    parameters: Mapping[str, object]
    runs: Sequence[int]
    query_set: int | None
    seed: int
    # rows of the runs: fewer once documents joined, and then it is another request
    n_unknown: int = 0

    def cache_key(self) -> str:
        """Hash of the request; equal requests share one preview."""
        inputs = [
            self.strategy,
            sorted(self.parameters.items()),
            sorted(self.runs),
            self.query_set,
            self.seed,
        ]
        inputs.append(self.n_unknown)
        return sha256(json.dumps(inputs).encode()).hexdigest()[:32]


class PreviewResult(NamedTuple):
    """Result of a request: a preview, an error that says why there is none, or neither so far."""

    key: str
    preview: Preview | None = None
    field: str = ""
    error: str = ""

    @property
    def is_waiting(self) -> bool:
        """Whether a worker is still computing it."""
        return self.preview is None and not self.error


def build_request(
    *,
    strategy: str,
    parameters: Mapping[str, object],
    runs: Sequence[Run],
    query_set: QuerySet | None,
    seed: int,
) -> PreviewRequest:
    """Make a request from the choices for a pool."""
    n_unknown = sum(run.n_unknown for run in runs)
    keys = [run.pk for run in runs]
    return PreviewRequest(
        strategy, dict(parameters), keys, query_set.pk if query_set else None, seed, n_unknown
    )


def request_preview(
    *, collection: Collection, preview_request: PreviewRequest
) -> tuple[PreviewResult, bool]:
    """Return the result, now if small or cached, and whether the caller must enqueue a worker.

    Of several equal requests only one enqueues the worker.
    """
    result = find_result(collection=collection, key=preview_request.cache_key())
    if result is not None:
        return result, False
    if _is_small(collection, preview_request):
        return compute_result(collection=collection, preview_request=preview_request), False
    pending = PreviewResult(preview_request.cache_key())
    return pending, cache.add(
        _cache_key(collection, preview_request.cache_key()), pending, timeout=WAIT_SECONDS
    )


def find_result(*, collection: Collection, key: str) -> PreviewResult | None:
    """Return the cached result of a request in this collection.

    None if there is none, or no longer.
    """
    return cache.get(_cache_key(collection, key))


def compute_result(*, collection: Collection, preview_request: PreviewRequest) -> PreviewResult:
    """Compute the preview, and cache the result for all equal requests."""
    query_set = (
        collection.query_sets.filter(pk=preview_request.query_set).first()
        if preview_request.query_set is not None
        else None
    )
    runs = list(collection.runs.filter(pk__in=preview_request.runs))
    try:
        result = PreviewResult(
            preview_request.cache_key(),
            previews.preview(
                collection=collection,
                strategy=preview_request.strategy,
                parameters=preview_request.parameters,
                runs=runs,
                query_set=query_set,
                seed=preview_request.seed,
            ),
        )
    except PoolError as error:
        result = PreviewResult(preview_request.cache_key(), None, error.field, str(error))
    # The cause of an error may be gone in a moment; a page that waits for a worker polls again
    # before that.
    cache.set(
        _cache_key(collection, preview_request.cache_key()),
        result,
        timeout=ERROR_SECONDS if result.error else FRESH_SECONDS,
    )
    return result


def _is_small(collection: Collection, preview_request: PreviewRequest) -> bool:
    """Whether few rows must be read: of rankings, for some strategies all items or pools' pairs."""
    if preview_request.strategy not in STRATEGIES:
        return True  # refused at once
    needs = STRATEGIES[preview_request.strategy].needs
    if "targets" in needs:
        return False
    n_pooled = 0
    if "pooled" in needs:
        n_pooled = PoolPair.objects.filter(pool__collection=collection)[
            : SYNCHRONOUS_ROWS + 1
        ].count()
    runs = list(collection.runs.filter(pk__in=preview_request.runs))
    return (
        checks.n_rows_at_most(
            strategy=preview_request.strategy, parameters=preview_request.parameters, runs=runs
        )
        + n_pooled
        <= SYNCHRONOUS_ROWS
    )


def _cache_key(collection: Collection, key: str) -> str:
    return f"pool-preview:{collection.pk}:{key}"
