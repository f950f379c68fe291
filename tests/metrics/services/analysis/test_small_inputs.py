"""Small and bad inputs for every analysis: a sentence, and no empty frame or nan beneath it."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from annotate.models import Collection, QuerySet
from metrics.charts.results import AnalysisResult
from metrics.core.comparisons.missing_queries import MISSING_NAMES, MISSING_ZERO
from metrics.core.comparisons.run_comparison import METHODS
from metrics.core.files.scores import LARGEST, SMALLEST, ScoreTable
from metrics.score_files.choices import Choice
from metrics.score_files.register import SCORE_ANALYSES
from metrics.score_files.requests import FileRequest, NotDefined
from metrics.services.analysis.computation import compute_now
from metrics.services.analysis.register import ANALYSES
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import queries_of
from tests.metrics.services.analysis.questions import chosen
from tests.tables.fixture_cache import cached_rows

POSITIONS = ("x", "x2", "y", "y2", "color")
NO_NUMBER = re.compile(r"\b(nan|inf|infinity)\b", re.IGNORECASE)
OF_FILES = list(SCORE_ANALYSES)
RNG = np.random.default_rng(3)
TABLES = {
    "one topic": RNG.random((1, 3)),
    "two topics": RNG.random((2, 2)),
    "three topics": RNG.random((3, 3)),
    "nine topics, two runs": RNG.random((9, 2)),
    "one run": RNG.random((5, 1)),
    "two equal runs": np.repeat(RNG.random((6, 1)), 2, axis=1),
    "many equal runs": np.repeat(RNG.random((2, 1)), 41, axis=1),
    "two runs far apart": np.linspace(0, 1, 20)[:, None] + [0.0, 50.0] + RNG.random((20, 2)),
    "constant": np.full((6, 3), 0.25),
    "all 0": np.zeros((40, 2)),
    "0 and 1": RNG.integers(0, 2, (40, 3)).astype(float),
    "as large as may be": LARGEST * RNG.uniform(-1, 1, (40, 3)),
    "as small as may be": SMALLEST * RNG.uniform(1, 3, (40, 3)),
    "tiny beside others": np.vstack([[0, 1e-301], np.repeat(RNG.random((39, 1)), 2, axis=1)]),
    "large and small": np.array([[LARGEST, SMALLEST], [-LARGEST, 0], [SMALLEST, LARGEST]]),
    "without a score": np.array([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 4.0]]),
}
# rows in which runs are a part alone, or of which something else is missing first
WITHOUT_RUNS = {"reasons-by-run-and-rank", "refused-positives", "folds"}
REFERENCE = {"labels": "none:original"}
# the choices of addresses of `small_studies`; by people nothing is relevant
CHOICES: dict[str, dict[str, object]] = {
    "one run": {"run": ["alpha"], **REFERENCE},
    "two equal runs that are right everywhere": {"run": ["best", "good"], "measure": "C@1"},
    "two runs without a query in common": {"run": ["early", "late"], **REFERENCE},
    "no positives": {"labels": "only", "threshold": 2},
    "one query, which a run lacks": {"queries": "one"},
}


@pytest.mark.parametrize("case", TABLES)
def test_a_file_of_few_or_equal_scores_gives_a_sentence_or_numbers(case):
    values = TABLES[case]
    queries = [f"t{row}" for row in range(len(values))]
    table = ScoreTable(queries, [f"run{column}" for column in range(values.shape[1])], values)
    faults = []
    for name in OF_FILES:
        find = SCORE_ANALYSES[name].find
        for missing in MISSING_NAMES if np.isnan(values).any() else [MISSING_ZERO]:
            try:
                faults += faults_of(name, find(FileRequest(table, METHODS[0], missing)), "")
            except NotDefined as reason:
                faults += faults_of(name, None, str(reason))
    assert not faults


@pytest.mark.django_db
@pytest.mark.parametrize("case", CHOICES)
def test_a_collection_of_little_gives_a_sentence_or_numbers(case):
    collection, choices = small_studies(), dict(CHOICES[case])
    if names := choices.get("run"):
        choices["run"] = list(Run.objects.filter(name__in=names).values_list("pk", flat=True))
    shared_choices = chosen(collection, **choices)
    faults = []
    assert not shared_choices.errors
    for name, analysis in ANALYSES.items():
        spec = analysis.spec(shared_choices)
        answer = compute_now(
            collection=collection, spec=spec, report_progress=lambda done, total, unit: None
        )
        faults += faults_of(name, answer.result, answer.reason)
    assert not faults


@pytest.mark.django_db
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_without_any_run_each_row_that_needs_one_says_so(direction):
    collection = small_studies()
    Run.objects.filter(collection=collection).delete()
    shared_choices = chosen(collection, direction=direction)
    assert not shared_choices.errors and not shared_choices.runs
    faults, needs_no_run = [], set()
    for name, analysis in ANALYSES.items():
        answer = compute_now(
            collection=collection,
            spec=analysis.spec(shared_choices),
            report_progress=lambda done, total, unit: None,
        )
        faults += faults_of(name, answer.result, answer.reason)
        if Choice.RUNS in analysis.choices and not re.search(r"\bruns?\b", answer.reason):
            needs_no_run.add(name)
    assert not faults
    assert needs_no_run == WITHOUT_RUNS


def faults_of(name: str, result: AnalysisResult | None, reason: str) -> list[str]:
    """The faults of an answer: a text with nan or inf, a chart that shows nothing."""
    if result is None:
        is_whole = reason.endswith(".") and not NO_NUMBER.search(reason)
        return [] if is_whole else [f"{name}: no sentence: {reason}"]
    cells = [str(cell) for row in result.rows for cell in row]
    texts = [result.headline, result.extent, *result.notes, *cells]
    faults = [f"{name}: no number: {text}" for text in texts if NO_NUMBER.search(text)]
    if result.spec and not all(lists_of_values(result.spec)):
        faults.append(f"{name}: an empty list is drawn; {result.headline}")
    elif result.spec and not any(map(draws, units_of(result.spec))):
        faults.append(f"{name}: an empty frame is drawn; {result.headline}")
    return faults


def lists_of_values(spec: Any) -> Iterator[list[object]]:
    """The data of a chart and of its parts."""
    if isinstance(spec, list):
        for part in spec:
            yield from lists_of_values(part)
    elif isinstance(spec, dict):
        if isinstance(spec.get("data"), dict):
            yield spec["data"]["values"]
        yield from spec.get("datasets", {}).values()
        for key, part in spec.items():
            if key not in ("data", "datasets"):
                yield from lists_of_values(part)


def units_of(spec: dict[str, Any], above: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """The single views of a chart, each with the data and encoding of what it stands in."""
    above = above or {}
    unit = {"data": spec.get("data", above.get("data"))}
    unit["encoding"] = {**above.get("encoding", {}), **spec.get("encoding", {})}
    parts = [
        part for key in ("layer", "vconcat", "hconcat", "concat") for part in spec.get(key, [])
    ]
    for part in parts:
        yield from units_of(part, unit)
    if not parts:
        yield unit


def draws(unit: dict[str, Any]) -> bool:
    """True if a datum has all that its place takes; marks at places of their own show no data."""
    channels = [unit["encoding"].get(channel) or {} for channel in POSITIONS]
    fields = [
        channel["field"]
        for channel in channels
        if channel.get("type") == "quantitative" and "field" in channel
    ]
    if not fields:
        return False
    return any(
        all(row.get(field) is not None for field in fields) for row in unit["data"]["values"]
    )


@cached_rows
def small_studies() -> Collection:
    """A study judged by two who see nothing relevant, with runs that are hard to compare."""
    collection = studies.judged_study("study", seeds=(0, 1), likes=0)
    queries = queries_of(collection)
    one = QuerySet.objects.create(collection=collection, name="one", direction="forward")
    one.members.create(item=queries[0])
    rankings = {
        source: (targets, scores)
        for source, targets, scores in Ranking.objects.filter(run__name="alpha").values_list(
            "source", "targets", "scores"
        )
    }
    cast.run(collection, "alike", rankings)
    halves = list(rankings.items())
    cast.run(collection, "early", dict(halves[:3]))
    cast.run(collection, "late", dict(halves[3:]))
    documents = list(collection.items.filter(side="document").order_by("pk"))
    best = {}
    for query, document in zip(queries, documents, strict=False):
        further = [row.pk for row in documents if row != document]
        best[query.pk] = ([document.pk, *further], list(range(len(documents), 0, -1)))
    for name in ("best", "good"):
        cast.run(collection, name, best)
    refresh.refresh(collection=collection)
    return collection
