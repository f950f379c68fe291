"""Requests for previews: a worker computes a slow one, and equal requests share its result.

A result is a kept value of a few minutes.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple

from django.db import transaction

from annotate.models import Collection, Kept, QuerySet
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry
from pooling.core.strategies.strategies import STRATEGIES
from pooling.models import PoolPair, Run
from pooling.services.pools import checks, previews
from pooling.services.pools.checks import PoolError
from pooling.services.pools.opening import newest_policy
from pooling.services.pools.previews import PoolPreview
from pooling.services.pools.query_lists import listed_query_set

SYNCHRONOUS_ROWS = 20_000  # results of rankings that a web request may read itself: .1 to .2 s
KIND = "pool-preview"
FRESH_FOR = timedelta(seconds=120)
# The cause of an error may be gone in a moment; a page that waits for a worker polls before that.
ERRORS_FRESH_FOR = timedelta(seconds=10)
WAIT = timedelta(seconds=600)
RESULTS_KEPT = 100  # of a collection
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
    only: Sequence[int] = ()  # keys of source items; empty for all
    policy_version: int = 0  # newest as it was asked for: the price is of another one after that

    @property
    def key(self) -> str:
        """Hash of the request; equal requests share one preview."""
        inputs = [
            self.strategy,
            sorted(self.parameters.items()),
            sorted(self.runs),
            self.query_set,
            self.seed,
            self.n_unknown,
            sorted(self.only),
            self.policy_version,
        ]
        return sha256(json.dumps(inputs).encode()).hexdigest()[:32]


class PreviewResult(NamedTuple):
    """Result of a request: a preview, an error that says why there is none, or neither so far.

    query_set : key of the one that a preview is of, or of a part of; None for all source items
    """

    key: str
    preview: PoolPreview | None = None
    field: str = ""
    error: str = ""
    query_set: int | None = None

    @property
    def is_waiting(self) -> bool:
        """True if a worker is still computing it."""
        return self.preview is None and not self.error


def build_request(
    *,
    strategy: str,
    parameters: Mapping[str, object],
    runs: Sequence[Run],
    query_set: QuerySet | None,
    seed: int,
    only: Sequence[int] = (),
) -> PreviewRequest:
    """Make a request from the choices for a pool."""
    n_unknown = sum(run.n_unknown for run in runs)
    keys = [run.pk for run in runs]
    return PreviewRequest(
        strategy,
        dict(parameters),
        keys,
        query_set.pk if query_set else None,
        seed,
        n_unknown,
        list(only),
    )


def request_addition(*, run: Run) -> PreviewResult:
    """Return the preview of judging a run's first results, for the page of the run."""
    addition_request = build_request(
        strategy="depth-k",
        parameters={"depth": ADDS_DEPTH},
        runs=[run],
        query_set=None,
        seed=1,
    )
    return request_preview(
        collection=run.collection, preview_request=addition_request, is_kept=False
    )


def request_preview(
    *, collection: Collection, preview_request: PreviewRequest, is_kept: bool = True
) -> PreviewResult:
    """Return the result, now if small or kept, else once a worker has computed it.

    is_kept : whether a small one is kept, for further requests of the page; refusals never are
    """
    version = newest_policy(collection).version
    preview_request = preview_request._replace(policy_version=version)
    inquiry = Inquiry(collection, KIND, preview_request.key, preview_request._asdict())
    if (row := kept.find_fresh(inquiry=inquiry)) is not None:
        return _result(row)
    if not _is_small(collection, preview_request):
        kept.look(inquiry=inquiry)
        return PreviewResult(inquiry.key)
    try:
        preview = _preview(inquiry)
    except PoolError as error:
        return PreviewResult(inquiry.key, None, error.field, str(error))
    if is_kept:
        kept.store(inquiry=inquiry, computed=Computed({"preview": preview.as_json()}))
    return PreviewResult(inquiry.key, preview, query_set=preview_request.query_set)


def job_of(*, collection: Collection, key: str) -> progress.Job:
    """The background job that computes a preview."""
    return Inquiry(collection, KIND, key).job


def find_result(*, collection: Collection, key: str) -> PreviewResult | None:
    """Return the result of a request in this collection.

    None if there is none, or no longer.
    """
    inquiry = Inquiry(collection, KIND, key)
    if (row := kept.find_fresh(inquiry=inquiry)) is not None:
        return _result(row)
    return PreviewResult(key) if kept.is_requested(inquiry=inquiry) else None


@kept.keeps(KIND, fresh_for=FRESH_FOR, request_lasts=WAIT, drop_after=WAIT, at_most=RESULTS_KEPT)
def compute_result(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Compute a preview, or why there is none."""
    try:
        return Computed({"preview": _preview(inquiry).as_json()})
    except PoolError as error:
        refusal = {"field": error.field, "error": str(error)}
        return Computed({"refusal": refusal}, fresh_for=ERRORS_FRESH_FOR)


def _preview(inquiry: Inquiry) -> PoolPreview:
    collection = inquiry.collection
    preview_request = PreviewRequest(**inquiry.parameters)
    query_set = (
        collection.query_sets.filter(pk=preview_request.query_set).first()
        if preview_request.query_set is not None
        else None
    )
    runs = list(collection.runs.filter(pk__in=preview_request.runs).order_by("direction", "name"))
    with transaction.atomic():
        if preview_request.only:  # a query set for as long as the preview takes
            name = f"preview {inquiry.key}"
            query_set = listed_query_set(collection, name, runs, query_set, preview_request.only)
        preview = previews.preview(
            collection=collection,
            strategy=preview_request.strategy,
            parameters=preview_request.parameters,
            runs=runs,
            query_set=query_set,
            seed=preview_request.seed,
        )
        transaction.set_rollback(bool(preview_request.only))
    return preview


def _result(row: Kept) -> PreviewResult:
    if (refusal := row.value.get("refusal")) is not None:
        return PreviewResult(row.key, **refusal)
    preview = PoolPreview.from_json(row.value["preview"])
    return PreviewResult(row.key, preview, query_set=row.parameters["query_set"])


def _is_small(collection: Collection, preview_request: PreviewRequest) -> bool:
    """True if few rows must be read: of rankings, for some strategies all items or pools' pairs."""
    if preview_request.strategy not in STRATEGIES:
        return True  # refused at once
    needs = STRATEGIES[preview_request.strategy].needs
    if "targets" in needs:
        return False
    n_pooled = 0
    if "pool_pairs" in needs:
        n_pooled = PoolPair.objects.filter(pool__collection=collection)[
            : SYNCHRONOUS_ROWS + 1
        ].count()
    runs = list(collection.runs.filter(pk__in=preview_request.runs).order_by("direction", "name"))
    return (
        checks.n_rows_at_most(
            strategy=preview_request.strategy, parameters=preview_request.parameters, runs=runs
        )
        + n_pooled
        <= SYNCHRONOUS_ROWS
    )
