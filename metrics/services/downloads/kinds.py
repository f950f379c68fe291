"""The kinds of download: the form of each, the file's name, and the generator of its bytes.

A new kind is a class here with a line in KINDS, and its choice in Download.Kind.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol

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

CleanedData = dict[str, Any]  # the cleaned data of a kind's form


@dataclass
class DownloadContext:
    """One download being made.

    count : called with the number of rows written since the last call
    run_ids : keys of the runs in the file, filled in by `write`
    """

    collection: Collection
    form: Any
    by: User | None
    count: Callable[[int], None]
    run_ids: list[int] = field(default_factory=list)


class DownloadWriter(Protocol):
    """How files of a kind of download are asked for and written."""

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """The form, bound to data where given."""
        ...

    def file_name(self, form: Any) -> str:
        """The file's name after the collection's, with its ending, before packing."""
        ...

    def total(self, context: DownloadContext) -> int | None:
        """The number of rows to come; None where counting them takes long."""
        ...

    def write(self, context: DownloadContext) -> Iterator[bytes]:
        """The file, in pieces."""
        ...


class LinesDownload:
    """Lines of text under a header."""

    def __init__(self, name: str, lines: Callable[[DownloadContext], Iterator[str]]) -> None:
        self._name, self._lines = name, lines

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """A form without choices but packing."""
        return PlainForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """The same name for all collections."""
        return self._name

    def total(self, context: DownloadContext) -> int | None:
        """The total is unknown."""
        return None

    def write(self, context: DownloadContext) -> Iterator[bytes]:
        """The lines."""
        yield from _counted_bytes(self._lines(context), context, header=1)


class QrelsDownload(LinesDownload):
    """TREC qrels as requested by a form."""

    def __init__(self) -> None:
        super().__init__("", _qrels_lines)

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """A form to choose the labels."""
        return QrelsFileForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """A name that contains the choices."""
        return str(form.qrels_request().file_name)

    def write(self, context: DownloadContext) -> Iterator[bytes]:
        """The lines; qrels have no header."""
        yield from _counted_bytes(self._lines(context), context, header=0)


class BeirDownload(QrelsDownload):
    """A BEIR folder as a zip archive."""

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """A form to choose the labels."""
        return LabelsForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """The name of the qrels with another ending."""
        return super().file_name(form).replace(".qrels", "-beir.zip")

    def write(self, context: DownloadContext) -> Iterator[bytes]:
        """The archive."""
        qrels_request = context.form.qrels_request()
        yield from zip_stream(
            beir_members(
                collection=context.collection, qrels_request=qrels_request, count=context.count
            )
        )


class JsonDownload(QrelsDownload):
    """Grades with every label beside them."""

    def file_name(self, form: Any) -> str:
        """The name of the qrels with another ending."""
        return super().file_name(form).replace(".qrels", ".json")

    def write(self, context: DownloadContext) -> Iterator[bytes]:
        """One object."""
        pieces = json_pieces(
            collection=context.collection,
            qrels_request=context.form.qrels_request(),
            count=context.count,
        )
        yield from (piece.encode() for piece in pieces)


class StrataDownload(QrelsDownload):
    """Qrels of five columns."""

    def __init__(self) -> None:
        LinesDownload.__init__(self, "stratified.qrels", _strata_lines)

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """A form to choose the sample."""
        pools = [pool.name for pool in drawn_pools(collection=collection)]
        return StrataForm(data, collection=collection, pools=pools)

    def file_name(self, form: Any) -> str:
        """The same name for all collections."""
        return self._name


class RunDownload(QrelsDownload):
    """A TREC run: a stored upload without the results that no score on a query set counts."""

    def __init__(self) -> None:
        LinesDownload.__init__(self, "", _run_lines)

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """A form to choose the run and the query set."""
        return RunFileForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """A name of the run and the query set."""
        names = (slugify(str(row)) or str(row.pk) for row in form.run_and_query_set())
        return f"{'-'.join(names)}.run"


class JudgmentsDownload(LinesDownload):
    """Every judgment under pseudonyms."""

    def __init__(self) -> None:
        super().__init__("judgments", lambda context: iter(()))

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """A form to choose the format."""
        return JudgmentsFileForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """A name with the ending of the format."""
        return f"{self._name}.{form.cleaned_data['format']}"

    def total(self, context: DownloadContext) -> int | None:
        """The number of all judgments."""
        return Judgment.objects.filter(collection=context.collection).count()

    def write(self, context: DownloadContext) -> Iterator[bytes]:
        """The file."""
        # A COPY left open would hold the connection.
        with closing(judgment_export.judgment_lines(collection=context.collection)) as lines:
            yield from FORMATS[context.form.cleaned_data["format"]].write(
                _counted_lines(lines, context)
            )


def _qrels_lines(context: DownloadContext) -> Iterator[str]:
    return qrels_of(collection=context.collection, qrels_request=context.form.qrels_request())


def _strata_lines(context: DownloadContext) -> Iterator[str]:
    kind, _, name = context.form.cleaned_data["sample"].partition(":")
    if kind == "pool":
        return pool_lines(pool=Pool.objects.get(collection=context.collection, name=name))
    return qrels_lines(
        reference_set=ReferenceSet.objects.get(collection=context.collection, name=name)
    )


def _run_lines(context: DownloadContext) -> Iterator[str]:
    run, query_set = context.form.run_and_query_set()
    context.run_ids.append(run.pk)
    scope = labels.scope_of(query_set=query_set)
    return trec_lines(run=run, scope=ScoringScope(scope.sources, scope.gallery, scope.excluded))


def _score_lines(context: DownloadContext) -> Iterator[str]:
    runs = Run.objects.visible_to(context.by).filter(
        collection=context.collection, scores__isnull=False
    )
    context.run_ids += runs.order_by("pk").values_list("pk", flat=True).distinct()
    return rows.scores_per_query(collection=context.collection, viewer=context.by)


def _counted_bytes(
    pieces: Iterator[str], context: DownloadContext, *, header: int
) -> Iterator[bytes]:
    """The pieces as bytes, their lines counted."""
    for piece in pieces:
        context.count(piece.count("\n") - header)
        header = 0
        yield piece.encode()


def _counted_lines(
    lines: Iterator[judgment_export.JudgmentLine], context: DownloadContext
) -> Iterator[judgment_export.JudgmentLine]:
    """The lines unchanged, counted a thousand at a time."""
    number = 0
    for number, line in enumerate(lines, start=1):
        if number % 1_000 == 0:
            context.count(1_000)
        yield line
    context.count(number % 1_000)


KINDS: dict[Download.Kind, DownloadWriter] = {
    Download.Kind.QRELS: QrelsDownload(),
    Download.Kind.BEIR: BeirDownload(),
    Download.Kind.FIRE: JsonDownload(),
    Download.Kind.STRATA: StrataDownload(),
    Download.Kind.JUDGMENTS: JudgmentsDownload(),
    Download.Kind.PAIRS: LinesDownload(
        "pairs.tsv", lambda context: rows.pair_states(collection=context.collection)
    ),
    Download.Kind.DISPUTED: LinesDownload(
        "disputed.tsv", lambda context: rows.disputed(collection=context.collection)
    ),
    Download.Kind.CONFLICTS: LinesDownload(
        "conflicts.tsv", lambda context: rows.conflicts(collection=context.collection)
    ),
    Download.Kind.CANNOT_JUDGE: LinesDownload(
        "cannot-judge.tsv",
        lambda context: rows.cannot_judge(collection=context.collection),
    ),
    Download.Kind.SCORES: LinesDownload("scores.tsv", _score_lines),
    Download.Kind.RUN: RunDownload(),
}
