"""Collections and runs as in practice: unknown items, ties, missing queries, galleries."""

from collections import Counter
from typing import NamedTuple

import ir_measures
import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from ir_measures import AP, Judged, Qrel, ScoredDoc, Success, nDCG

from annotate.models import (
    Collection,
    Direction,
    Item,
    Pair,
    QuerySet,
    QuerySetItem,
    Resolution,
    Work,
)
from annotate.services.collection.query_sets import complete_query_sets
from metrics.core.labels.label_sources import LabelSource
from metrics.http import QrelsRequest
from metrics.models import Download, Score
from metrics.services.downloads import downloads
from metrics.services.downloads.qrels import qrels_of
from pooling.models import Run
from pooling.services.runs import runs
from tests import cast
from tests.works import perform_work

THEIRS = {
    "C@1": Success @ 1,
    "C@5": Success @ 5,
    "C@10": Success @ 10,
    "AP": AP,
    "nDCG@10": nDCG @ 10,
}


class UploadedRun(NamedTuple):
    """A collection with a reference set, and one run of it as its file says it."""

    collection: Collection
    run: Run
    lines: str


def collection(rng: np.random.Generator, n_queries: int = 5, n_documents: int = 14) -> Collection:
    """Items of both sides, some labelled, some of another split."""
    study = cast.collection(grades=3, n_queries=n_queries, n_documents=n_documents)
    if rng.random() < 0.5:
        train = study.items.filter(external_id__in=[f"q{n_queries - 1}", f"d{n_documents - 1}"])
        train.update(split="train")
    complete_query_sets(collection=study)
    pairs = [
        (f"q{q}", f"d{d}")
        for q in range(n_queries)
        for d in range(n_documents)
        if rng.random() < 0.3
    ]
    cast.reference(study, {pair: int(rng.integers(0, 3)) for pair in [*pairs, ("q0", "d0")]})
    return study


def upload(
    rng: np.random.Generator, *, direction: str = "forward", strange: float = 0.3
) -> UploadedRun:
    """A run of a collection of its own.

    `strange` is the share of its targets that the collection lacks.
    """
    study = collection(rng)
    lines = run_lines(rng, study, direction=direction, strange=strange)
    return UploadedRun(study, ingested(study, "system", lines, direction=direction), lines)


def labels(rng: np.random.Generator, of: Collection, *, n_sets: int) -> list[str]:
    """Grades by people for some pairs, and further reference sets; the names of all sets."""
    names = ["original", "cxc", "ours, v2 (50 %)"][:n_sets]
    queries, documents = (
        list(of.items.filter(side=side).order_by("pk")) for side in ("query", "document")
    )
    every = [(query, document) for query in queries for document in documents]
    for name in names[1:]:
        some = [pair for pair in every if rng.random() < 0.2]
        cast.reference(
            of, {(q.external_id, d.external_id): int(rng.integers(0, 3)) for q, d in some}, name
        )
    policy = cast.policy(of)
    for query, document in every:
        if rng.random() < 0.3:
            pair = Pair.objects.create(collection=of, query=query, document=document)
            grade = int(rng.integers(0, 3))
            Resolution.objects.create(
                pair=pair, collection=of, status="single", grade=grade, n_labels=1, policy=policy
            )
    return names


def run_lines(rng: np.random.Generator, of: Collection, *, direction: str, strange: float) -> str:
    """A TREC run of few different scores, so that many are tied.

    Queries are missing, unknown, or have unknown targets alone.
    """
    sides = ("query", "document") if direction == "forward" else ("document", "query")
    sources, targets = (
        list(of.items.filter(side=side).order_by("pk").values_list("external_id", flat=True))
        for side in sides
    )
    lines = []
    for source in [*sources, "elsewhere"]:
        if source != sources[0] and rng.random() < 0.15:
            continue
        is_strange = rng.random() < 0.15 and source != sources[0]
        known_targets = (
            []
            if is_strange
            else rng.permutation(targets)[: int(rng.integers(1, len(targets) + 1))].tolist()
        )
        unknown = [f"x{number}" for number in range(40) if rng.random() < strange]
        for target in rng.permutation([*known_targets, *unknown]).tolist():
            lines.append(f"{source} Q0 {target} 1 {int(rng.integers(0, 6)) / 4} system\n")
    return "".join(rng.permutation(lines).tolist())


def ingested(
    of: Collection, name: str, lines: str, *, direction: str = "forward", **fields: str
) -> Run:
    """The run that reading these lines makes; in use, however strange."""
    file = SimpleUploadedFile(f"{name}.run", lines.encode())
    run = runs.receive_run(collection=of, name=name, direction=direction, upload=file, **fields).run
    perform_work(run)
    assert run.state == "ready", run.report["errors"]
    Run.objects.filter(pk=run.pk).update(on_hold_since=None)
    run.refresh_from_db()
    return run


def leave_out(of: Collection, *names: str) -> None:
    """Exclude items from evaluation, as a lead does."""
    of.items.filter(external_id__in=names).update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )


def with_gallery(of: Collection, direction: str, targets: list[str]) -> QuerySet:
    """A query set of all test sources of which only these targets count."""
    side = "query" if direction == "forward" else "document"
    query_set = QuerySet.objects.create(collection=of, direction=direction, name="gallery")
    sources = Item.objects.filter(collection=of, side=side, split="test")
    members = [(item, "source") for item in sources] + [
        (item, "gallery") for item in of.items.exclude(side=side).filter(external_id__in=targets)
    ]
    QuerySetItem.objects.bulk_create(
        QuerySetItem(query_set=query_set, item=item, part=part) for item, part in members
    )
    return query_set


def parsed_qrels(text: str) -> list[Qrel]:
    """Qrels as another tool reads them."""
    return [
        Qrel(q, d, int(grade)) for q, _, d, grade in (line.split() for line in text.splitlines())
    ]


def run_of(text: str) -> list[ScoredDoc]:
    """A run as another tool reads it."""
    return [
        ScoredDoc(q, d, float(score))
        for q, _, d, _, score, _ in (line.split() for line in text.splitlines())
    ]


def theirs(qrels: list[Qrel], run: list[ScoredDoc], sources: list[str]) -> dict[str, list[float]]:
    """Values per source by ir_measures, by our measures' names; 0 where it has none, as with -c."""
    values_by_name = {name: dict.fromkeys(sources, 0.0) for name in THEIRS}
    names = {measure: name for name, measure in THEIRS.items()}
    for row in ir_measures.iter_calc(THEIRS.values(), qrels, run):
        if row.query_id in values_by_name[names[row.measure]]:
            values_by_name[names[row.measure]][row.query_id] = row.value
    return {name: list(values.values()) for name, values in values_by_name.items()}


def ours(
    run: Run, query_set: QuerySet, label_source: str = "none:original"
) -> dict[str, list[float]]:
    """The stored values of each source, by measure."""
    scores = Score.objects.filter(
        run=run, query_set=query_set, label_source=label_source, measure__in=THEIRS
    )
    return {score.measure: np.frombuffer(score.per_query, dtype="<f8").tolist() for score in scores}


def sources_of(query_set: QuerySet) -> list[str]:
    """The ids of the source items that count, in the order of the stored values."""
    members = query_set.members.filter(part="source", item__excluded_at=None).order_by("item")
    return list(members.values_list("item__external_id", flat=True))


def reference_qrels(query_set: QuerySet) -> list[Qrel]:
    """The qrels that the page gives for its reference set."""
    qrels_request = QrelsRequest(
        direction=Direction(query_set.direction),
        label_source=LabelSource.parse("none:original"),
        query_set=query_set,
        threshold=None,
        rule="",
    )
    return parsed_qrels(
        "".join(qrels_of(collection=query_set.collection, qrels_request=qrels_request))
    )


def as_scored(run: Run, query_set: QuerySet) -> str:
    """The download of a run as it was scored."""
    data = {"run": str(run.pk), "queries": str(query_set.pk)}
    return downloaded(run.collection, Download.Kind.RUN, data).file.read().decode()


def downloaded(of: Collection, kind: Download.Kind, data: dict[str, str]) -> Download:
    """Request a download and make its file."""
    form = downloads.form_of(collection=of, kind=kind, data=data)
    assert form.is_valid(), form.errors
    download = downloads.request_download(collection=of, kind=kind, form=form, by=None)
    perform_work(download)
    assert download.work.state == Work.State.DONE, download.work.error
    return download


def judged(qrels: list[Qrel], run: list[ScoredDoc], sources: list[str]) -> list[float]:
    """Judged@10 by ir_measures of each source, for 10 ranks even if fewer were retrieved."""
    depth = Counter(row.query_id for row in run)
    values = dict.fromkeys(sources, 0.0)
    for row in ir_measures.iter_calc([Judged @ 10], qrels, run):
        if row.query_id in values:
            values[row.query_id] = row.value * min(depth[row.query_id], 10) / 10
    return list(values.values())


def assert_judged(run: Run, query_set: QuerySet) -> None:
    """See that ir_measures finds as many judged as is stored.

    On the run as it was scored: it settles ties its way.
    """
    scored = run_of(as_scored(run, query_set))
    score = Score.objects.get(
        run=run, query_set=query_set, label_source="none:original", measure="Judged@10"
    )
    stored = np.frombuffer(score.per_query, dtype="<f8").tolist()
    assert stored == pytest.approx(
        judged(reference_qrels(query_set), scored, sources_of(query_set))
    )


def assert_scores(run: Run, query_set: QuerySet, lines: str) -> None:
    """Assert that ir_measures gives a run of these lines our stored values, query by query."""
    expected = theirs(reference_qrels(query_set), run_of(lines), sources_of(query_set))
    stored = ours(run, query_set)
    for name, values in expected.items():
        assert stored[name] == pytest.approx(values, abs=1e-9), name
