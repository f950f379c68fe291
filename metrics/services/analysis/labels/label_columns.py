"""The labels of a collection as arrays: those that count, of pairs that no lead left out."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from annotate.models import Annotator, Collection, Pair
from annotate.services.storage.number_arrays import Numbers, column, copied_columns

PROGRAMS = (Annotator.Origin.SIMULATED, Annotator.Origin.MODEL)  # whose labels no person gave
_COLUMNS = ("pair", "annotator", "grade", "round", "is_planned")
_LABELS = """
    SELECT label.pair_id::bigint, label.annotator_id::bigint, label.grade::bigint,
           label.round_id::bigint, label.is_planned::int::bigint
    FROM annotate_countingjudgment label
    WHERE label.collection_id = %s AND label.is_label
"""


class LabelColumns(NamedTuple):
    """N labels that count; each annotator labels a pair once.

    pair, annotator, round : (N,) keys; grade : (N,)
    is_planned : (N,) asked for whatever the other labels of the pair were
    """

    pair: Numbers
    annotator: Numbers
    grade: Numbers
    round: Numbers
    is_planned: NDArray[np.bool_]

    def where(self, mask: NDArray[np.bool_]) -> "LabelColumns":
        """The labels of a mask."""
        return LabelColumns(*(values[mask] for values in self))


def label_columns(*, collection: Collection) -> LabelColumns:
    """Read every label that counts; one query.

    Golds, training, repeats and adjudications are none, nor are labels that were changed, undone or
    withdrawn.
    """
    columns = copied_columns(_LABELS, _COLUMNS, [collection.pk])
    return LabelColumns(
        pair=columns["pair"],
        annotator=columns["annotator"],
        grade=columns["grade"],
        round=columns["round"],
        is_planned=columns["is_planned"].astype(bool),
    )


class AnnotatorFacts(NamedTuple):
    """An annotator of a collection as researchers may know them.

    name : the pseudonym; origin : a value of Annotator.Origin
    """

    name: str
    origin: str

    @property
    def is_program(self) -> bool:
        """True for a model or a simulation."""
        return self.origin in PROGRAMS

    @property
    def label(self) -> str:
        """The pseudonym, marked where it is that of a program."""
        return f"{self.name} ({self.origin})" if self.is_program else self.name


def annotators_of(*, collection: Collection) -> dict[int, AnnotatorFacts]:
    """Read the annotators by their keys, in the order of their pseudonyms; one query."""
    rows = Annotator.objects.filter(collection=collection).order_by("pseudonym")
    return {
        pk: AnnotatorFacts(pseudonym, origin)
        for pk, pseudonym, origin in rows.values_list("pk", "pseudonym", "origin")
    }


def n_by_origin(labels: LabelColumns, annotators: Mapping[int, AnnotatorFacts]) -> dict[str, int]:
    """The number of labels by the origin of their annotators; only origins that have some."""
    keys, n = np.unique(labels.annotator, return_counts=True)
    totals: Counter[str] = Counter()
    for key, n_labels in zip(keys.tolist(), n.tolist(), strict=True):
        totals[annotators[key].origin] += n_labels
    return dict(totals)


def excluded_pairs(*, collection: Collection) -> Numbers:
    """Read the ascending keys of pairs that a lead excluded, themselves or an item of theirs."""
    return column(
        Pair.objects.filter(collection=collection).left_out().order_by("pk").values_list("pk")
    )


def exclusion_notes(n_pairs: int, n_labels: int) -> list[str]:
    """A note on the pairs that leads excluded, which have so many labels; none without pairs."""
    if not n_pairs:
        return []
    verb = "is" if n_pairs == 1 else "are"
    note = f"{counted(n_pairs, 'pair')} that a lead excluded, or an item of which, {verb} left out"
    if not n_labels:
        return [f"{note}; without labels."]
    return [f"{note}, with {counted(n_labels, 'label')}: the dashboard's agreement holds these."]


def origin_notes(n_of_origin: Mapping[str, int]) -> list[str]:
    """A note on labels that no person gave here; none where persons gave all."""
    words = {
        Annotator.Origin.PERSON: "given here by persons",
        Annotator.Origin.IMPORT: "loaded from files",
        Annotator.Origin.SIMULATED: "simulated",
        Annotator.Origin.MODEL: "by models",
    }
    if set(n_of_origin) <= {Annotator.Origin.PERSON}:
        return []
    parts = [
        f"{n_of_origin[origin]:,} {text}" for origin, text in words.items() if origin in n_of_origin
    ]
    return [f"Of the {counted(sum(n_of_origin.values()), 'label')}: {', '.join(parts)}."]
