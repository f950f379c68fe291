"""The kinds of download: the form of each, the file's name, and the generator of its bytes.

A new kind is a line in KINDS, and its choice in Download.Kind.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django import forms
from django.utils.text import slugify

from annotate.core.files.judgments.judgment_exports import FORMATS
from annotate.models import Collection, Judgment, ReferenceSet, User
from annotate.services.collection import judgment_export
from annotate.services.collection.reference_qrels import qrels_lines
from metrics.core.files.archives import zip_stream
from metrics.forms.downloads import (
    JudgmentsFileForm,
    LabelsForm,
    PlainForm,
    QrelsFileForm,
    RunFileForm,
    StrataForm,
)
from metrics.models import Download
from metrics.services.downloads import lines as rows
from metrics.services.downloads.bundles import beir_members, json_pieces
from metrics.services.downloads.qrels import qrels_of
from metrics.services.downloads.strata import drawn_pools, pool_lines
from metrics.services.scores import labels
from pooling.models import Pool, Run
from pooling.services.runs.scored_runs import ScoringScope, trec_lines


@dataclass
class DownloadContext:
    """One download being made.

    count : called with the number of rows written since the last call
    run_ids : keys of the runs in the file, filled in while it is written
    """

    collection: Collection
    form: Any
    by: User | None
    count: Callable[[int], None]
    run_ids: list[int] = field(default_factory=list)


class DownloadWriter(NamedTuple):
    """The form and the writer of a kind of download.

    form : makes the form, bound to data where given
    file_name : the file's name after the collection's, with its ending, before packing, from a
        valid form
    pieces : the file, in pieces
    total : the number of rows to come; None where counting them takes long
    run_ids : keys of the runs that a valid form names, which others may not know of
    """

    form: Callable[..., forms.Form]
    file_name: Callable[[Any], str]
    pieces: Callable[[DownloadContext], Iterator[bytes]]
    total: Callable[[DownloadContext], int | None] = lambda context: None
    run_ids: Callable[[Any], list[int]] = lambda form: []


def _lines(
    write: Callable[[DownloadContext], Iterator[str]], *, n_header: int = 0
) -> Callable[[DownloadContext], Iterator[bytes]]:
    """Pieces of a file of lines, counted but for those of its header."""

    def pieces(context: DownloadContext) -> Iterator[bytes]:
        n_uncounted = n_header
        for piece in write(context):
            context.count(piece.count("\n") - n_uncounted)
            n_uncounted = 0
            yield piece.encode()

    return pieces


def _table(name: str, write: Callable[[DownloadContext], Iterator[str]]) -> DownloadWriter:
    """Lines under a header, in a file of the same name for all collections."""
    return DownloadWriter(PlainForm, lambda form: name, _lines(write, n_header=1))


def _qrels_name(ending: str) -> Callable[[Any], str]:
    """A name that contains the choices."""
    return lambda form: str(form.qrels_request().file_name).replace(".qrels", ending)


def _qrels(context: DownloadContext) -> Iterator[str]:
    return qrels_of(collection=context.collection, qrels_request=context.form.qrels_request())


def _beir(context: DownloadContext) -> Iterator[bytes]:
    members = beir_members(
        collection=context.collection,
        qrels_request=context.form.qrels_request(),
        count=context.count,
    )
    yield from zip_stream(members)


def _json(context: DownloadContext) -> Iterator[bytes]:
    """Grades with every label beside them, as one object."""
    pieces = json_pieces(
        collection=context.collection,
        qrels_request=context.form.qrels_request(),
        count=context.count,
    )
    yield from (piece.encode() for piece in pieces)


def _strata_form(data: Any, *, collection: Collection) -> StrataForm:
    pools = [pool.name for pool in drawn_pools(collection=collection)]
    return StrataForm(data, collection=collection, pools=pools)


def _strata(context: DownloadContext) -> Iterator[str]:
    """Qrels of five columns."""
    kind, _, name = context.form.cleaned_data["sample"].partition(":")
    if kind == "pool":
        return pool_lines(pool=Pool.objects.get(collection=context.collection, name=name))
    return qrels_lines(
        reference_set=ReferenceSet.objects.get(collection=context.collection, name=name)
    )


def _run_name(form: Any) -> str:
    """A name of the run and the query set."""
    names = (slugify(str(row)) or str(row.pk) for row in form.run_and_query_set())
    return f"{'-'.join(names)}.run"


def _run(context: DownloadContext) -> Iterator[str]:
    """A stored upload without the results that no score on a query set counts."""
    run, query_set = context.form.run_and_query_set()
    context.run_ids.append(run.pk)
    scope = labels.scope_of(query_set=query_set)
    return trec_lines(
        run=run, scope=ScoringScope(scope.sources, scope.gallery, scope.excluded_items)
    )


def _scores(context: DownloadContext) -> Iterator[str]:
    runs = Run.objects.visible_to(context.by).filter(
        collection=context.collection, scores__isnull=False
    )
    context.run_ids += runs.order_by("pk").values_list("pk", flat=True).distinct()
    return rows.scores_per_query(collection=context.collection, viewer=context.by)


def _judgments(context: DownloadContext) -> Iterator[bytes]:
    """Every judgment under pseudonyms."""
    # A COPY left open would hold the connection.
    with closing(judgment_export.judgment_pieces(collection=context.collection)) as pieces:
        yield from FORMATS[context.form.cleaned_data["format"]](_counted_lines(pieces, context))


def _counted_lines(pieces: Iterator[bytes], context: DownloadContext) -> Iterator[bytes]:
    """The pieces unchanged, their lines counted."""
    for piece in pieces:
        context.count(piece.count(b"\n"))
        yield piece


KINDS: dict[Download.Kind, DownloadWriter] = {
    Download.Kind.QRELS: DownloadWriter(QrelsFileForm, _qrels_name(".qrels"), _lines(_qrels)),
    Download.Kind.BEIR: DownloadWriter(LabelsForm, _qrels_name("-beir.zip"), _beir),
    Download.Kind.FIRE: DownloadWriter(QrelsFileForm, _qrels_name(".json"), _json),
    Download.Kind.STRATA: DownloadWriter(
        _strata_form, lambda form: "stratified.qrels", _lines(_strata)
    ),
    Download.Kind.JUDGMENTS: DownloadWriter(
        JudgmentsFileForm,
        lambda form: f"judgments.{form.cleaned_data['format']}",
        _judgments,
        lambda context: Judgment.objects.filter(collection=context.collection).count(),
    ),
    Download.Kind.PAIRS: _table(
        "pairs.tsv", lambda context: rows.pair_states(collection=context.collection)
    ),
    Download.Kind.DISPUTED: _table(
        "disputed.tsv", lambda context: rows.disputed(collection=context.collection)
    ),
    Download.Kind.CONFLICTS: _table(
        "conflicts.tsv", lambda context: rows.conflicts(collection=context.collection)
    ),
    Download.Kind.CANNOT_JUDGE: _table(
        "cannot-judge.tsv", lambda context: rows.cannot_judge(collection=context.collection)
    ),
    Download.Kind.SCORES: _table("scores.tsv", _scores),
    Download.Kind.RUN: DownloadWriter(
        RunFileForm,
        _run_name,
        _lines(_run),
        run_ids=lambda form: [form.run_and_query_set()[0].pk],
    ),
}
