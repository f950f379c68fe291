"""The kinds of download: the form that says which, the file's name, and what writes it in pieces of bytes.

A new kind is a class here with a line in KINDS, and its choice in Download.Kind.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol

from django import forms
from django.utils.text import slugify

from annotate.core.judgment_files import FORMATS
from annotate.models import Collection, Judgment, ReferenceSet, User
from annotate.services import exporting
from annotate.services.reference_lines import qrels_lines
from metrics.core.archives import zipped
from metrics.download_forms import JudgmentsForm, LabelsForm, PlainForm, QrelsFileForm, RunFileForm, StrataForm
from metrics.models import Download
from metrics.services import download_rows, labels
from metrics.services.download_bundles import beir_members, json_pieces
from metrics.services.download_strata import drawn_pools, pool_lines
from pooling.models import Pool, Run
from pooling.services.scored_runs import Scope, trec_lines

Asked = dict[str, Any]  # the cleaned data of a kind's form


@dataclass
class Making:
    """One download being made.

    count : to be told how many rows were written since the last time
    run_ids : the runs that the file names, filled in by who writes it
    """

    collection: Collection
    form: Any
    by: User | None
    count: Callable[[int], None]
    run_ids: list[int] = field(default_factory=list)


class Kind(Protocol):
    """A kind of download."""

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """The form, bound to data where there is some."""
        ...

    def file_name(self, form: Any) -> str:
        """The file's name after the collection's, with its ending, before packing."""
        ...

    def total(self, making: Making) -> int | None:
        """How many rows there will be, where that is quickly said."""
        ...

    def write(self, making: Making) -> Iterator[bytes]:
        """The file, in pieces."""
        ...


class Lines:
    """Lines of text under a header."""

    def __init__(self, name: str, lines: Callable[[Making], Iterator[str]]) -> None:
        self._name, self._lines = name, lines

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """Nothing to choose but packing."""
        return PlainForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """The same for all."""
        return self._name

    def total(self, making: Making) -> int | None:
        """Nobody knows."""
        return None

    def write(self, making: Making) -> Iterator[bytes]:
        """The lines."""
        yield from _counted(self._lines(making), making, header=1)


class Qrels(Lines):
    """TREC qrels as a form says."""

    def __init__(self) -> None:
        super().__init__("", _qrels_lines)

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """Which labels."""
        return QrelsFileForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """Named by what was asked for."""
        return str(form.wanted().file_name)

    def write(self, making: Making) -> Iterator[bytes]:
        """The lines; qrels have no header."""
        yield from _counted(self._lines(making), making, header=0)


class Beir(Qrels):
    """A BEIR folder as a zip archive."""

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """Which labels."""
        return LabelsForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """Named as the qrels would be."""
        return super().file_name(form).replace(".qrels", "-beir.zip")

    def write(self, making: Making) -> Iterator[bytes]:
        """The archive."""
        wanted = making.form.wanted()
        yield from zipped(beir_members(collection=making.collection, wanted=wanted, count=making.count))


class Json(Qrels):
    """Grades with every label beside them."""

    def file_name(self, form: Any) -> str:
        """Named as the qrels would be."""
        return super().file_name(form).replace(".qrels", ".json")

    def write(self, making: Making) -> Iterator[bytes]:
        """One object."""
        pieces = json_pieces(collection=making.collection, wanted=making.form.wanted(), count=making.count)
        yield from (piece.encode() for piece in pieces)


class Strata(Qrels):
    """Qrels of five columns."""

    def __init__(self) -> None:
        Lines.__init__(self, "stratified.qrels", _strata_lines)

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """Which sample."""
        pools = [pool.name for pool in drawn_pools(collection=collection)]
        return StrataForm(data, collection=collection, pools=pools)

    def file_name(self, form: Any) -> str:
        """The same for all."""
        return self._name


class ScoredRun(Qrels):
    """A TREC run: a kept upload, less what no score on a query set counts."""

    def __init__(self) -> None:
        Lines.__init__(self, "", _run_lines)

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """Which run, on which query set."""
        return RunFileForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """Named by the run and the query set."""
        names = (slugify(str(each)) or str(each.pk) for each in form.chosen())
        return f"{'-'.join(names)}.run"


class Judgments(Lines):
    """Every judgment under pseudonyms."""

    def __init__(self) -> None:
        super().__init__("judgments", lambda making: iter(()))

    def form(self, data: Any, *, collection: Collection) -> forms.Form:
        """In which format."""
        return JudgmentsForm(data, collection=collection)

    def file_name(self, form: Any) -> str:
        """Its ending is the format's."""
        return f"{self._name}.{form.cleaned_data['format']}"

    def total(self, making: Making) -> int | None:
        """All judgments."""
        return Judgment.objects.filter(collection=making.collection).count()

    def write(self, making: Making) -> Iterator[bytes]:
        """The file."""
        # A COPY left open would hold the connection.
        with closing(exporting.judgment_lines(collection=making.collection)) as lines:
            yield from FORMATS[making.form.cleaned_data["format"]].write(_told(lines, making))


def _qrels_lines(making: Making) -> Iterator[str]:
    return download_rows.qrels(collection=making.collection, wanted=making.form.wanted())


def _strata_lines(making: Making) -> Iterator[str]:
    what, _, name = making.form.cleaned_data["sample"].partition(":")
    if what == "pool":
        return pool_lines(pool=Pool.objects.get(collection=making.collection, name=name))
    return qrels_lines(reference_set=ReferenceSet.objects.get(collection=making.collection, name=name))


def _run_lines(making: Making) -> Iterator[str]:
    run, query_set = making.form.chosen()
    making.run_ids.append(run.pk)
    scope = labels.scope_of(query_set=query_set)
    return trec_lines(run=run, scope=Scope(scope.sources, scope.gallery, scope.excluded))


def _score_lines(making: Making) -> Iterator[str]:
    runs = Run.objects.visible_to(making.by).filter(collection=making.collection, scores__isnull=False)
    making.run_ids += runs.order_by("pk").values_list("pk", flat=True).distinct()
    return download_rows.scores_per_query(collection=making.collection, viewer=making.by)


def _counted(pieces: Iterator[str], making: Making, *, header: int) -> Iterator[bytes]:
    """The pieces as bytes, their lines counted."""
    for piece in pieces:
        making.count(piece.count("\n") - header)
        header = 0
        yield piece.encode()


def _told(lines: Iterator[exporting.JudgmentLine], making: Making) -> Iterator[exporting.JudgmentLine]:
    """The lines as they are, counted a thousand at a time."""
    number = 0
    for number, line in enumerate(lines, start=1):
        if number % 1_000 == 0:
            making.count(1_000)
        yield line
    making.count(number % 1_000)


KINDS: dict[Download.Kind, Kind] = {
    Download.Kind.QRELS: Qrels(),
    Download.Kind.BEIR: Beir(),
    Download.Kind.FIRE: Json(),
    Download.Kind.STRATA: Strata(),
    Download.Kind.JUDGMENTS: Judgments(),
    Download.Kind.PAIRS: Lines("pairs.tsv", lambda making: download_rows.pair_states(collection=making.collection)),
    Download.Kind.DISPUTED: Lines("disputed.tsv", lambda making: download_rows.disputed(collection=making.collection)),
    Download.Kind.CONFLICTS: Lines(
        "conflicts.tsv", lambda making: download_rows.conflicts(collection=making.collection)
    ),
    Download.Kind.CANNOT_JUDGE: Lines(
        "cannot-judge.tsv", lambda making: download_rows.cannot_judge(collection=making.collection)
    ),
    Download.Kind.SCORES: Lines("scores.tsv", _score_lines),
    Download.Kind.RUN: ScoredRun(),
}
