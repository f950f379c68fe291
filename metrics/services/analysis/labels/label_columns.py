"""The labels of a collection as arrays: those that count, of pairs that no lead left out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import distinct
from annotate.core.phrases import counted
from annotate.models import Annotator, Collection, Direction, Item, Pair
from annotate.services.storage.number_arrays import Numbers, column, copied_columns
from metrics.score_files.requests import NotDefined
from metrics.services.scores.query_groups import GroupFacts, facts_of, groups_of

PROGRAMS = (Annotator.Origin.SIMULATED, Annotator.Origin.MODEL)  # whose labels no person gave
_ORIGINS = {
    Annotator.Origin.PERSON: "given here by persons",
    Annotator.Origin.IMPORT: "loaded from files",
    Annotator.Origin.SIMULATED: "simulated",
    Annotator.Origin.MODEL: "by models",
}
_COLUMNS = ("pair", "annotator", "grade", "round", "is_planned", "judgment")
_LABELS = """
    SELECT label.pair_id::bigint, label.annotator_id::bigint, label.grade::bigint,
           label.round_id::bigint, label.is_planned::int::bigint, label.judgment_id::bigint
    FROM annotate_countingjudgment label
    WHERE label.collection_id = %s AND label.is_label
"""

_QUERIES = """
    SELECT pair.id::bigint, pair.query_id::bigint FROM annotate_pair pair
    WHERE pair.collection_id = %s
"""


class LabelColumns(NamedTuple):
    """N labels that count; each annotator labels a pair once.

    pair, annotator, round : (N,) keys; grade : (N,)
    is_planned : (N,) asked for whatever the other labels of the pair were
    judgment : (N,) keys, which ascend in the order in which labels were stored
    """

    pair: Numbers
    annotator: Numbers
    grade: Numbers
    round: Numbers
    is_planned: NDArray[np.bool_]
    judgment: Numbers


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


class CountingLabels(NamedTuple):
    """The labels that count, one or more, and their annotators.

    columns : of pairs that no lead excluded; annotators : by their keys
    excluded_pairs : ascending keys; n_excluded_labels : labels that these have
    """

    columns: LabelColumns
    annotators: dict[int, AnnotatorFacts]
    excluded_pairs: Numbers
    n_excluded_labels: int

    @property
    def notes(self) -> list[str]:
        """Sentences on excluded pairs, and on labels that no person gave here; none without."""
        notes = []
        if n_pairs := len(self.excluded_pairs):
            verb = "is" if n_pairs == 1 else "are"
            subject = f"{counted(n_pairs, 'pair')} that a lead excluded, or an item of which"
            labels = (
                f", with {counted(self.n_excluded_labels, 'label')}: the dashboard's agreement "
                "holds these."
            )
            notes.append(f"{subject}, {verb} left out{labels if self.n_excluded_labels else '.'}")
        n_of_origin = dict.fromkeys(_ORIGINS, 0)
        keys, n = np.unique(self.columns.annotator, return_counts=True)
        for key, n_labels in zip(keys.tolist(), n.tolist(), strict=True):
            n_of_origin[Annotator.Origin(self.annotators[key].origin)] += n_labels
        if n_of_origin[Annotator.Origin.PERSON] < (total := len(self.columns.annotator)):
            parts = [f"{n:,} {_ORIGINS[origin]}" for origin, n in n_of_origin.items() if n]
            notes.append(f"Of the {counted(total, 'label')}: {', '.join(parts)}.")
        return notes


class GroupedPairs(NamedTuple):
    """The groups of the queries of P pairs: of_pair (P,), and their numbers and nouns."""

    of_pair: Numbers
    facts: GroupFacts

    @property
    def notes(self) -> list[str]:
        """Sentences on the choice of groups, and on few of them; may be none."""
        return [note for note in (self.facts.choice, self.facts.caution) if note]


def grouped_pairs(pairs: Numbers, *, collection: Collection) -> GroupedPairs:
    """Read the groups of the queries of pairs, (P,) keys; some queries whatever their number."""
    columns = copied_columns(_QUERIES, ("pair", "query"), [collection.pk])
    by_pair = np.argsort(columns["pair"])
    position = by_pair[np.searchsorted(columns["pair"], pairs, sorter=by_pair)]
    queries, query_of_pair = np.unique(columns["query"][position], return_inverse=True)
    groups = groups_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    facts = facts_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    return GroupedPairs(groups.of_query[query_of_pair.ravel()], facts)


def counting_labels(*, collection: Collection) -> CountingLabels:
    """Read every label that counts, six queries; raises NotDefined without one.

    Golds, training, repeats and adjudications are none, nor are labels that were changed, undone or
    withdrawn.
    """
    # of pairs that a lead excluded, themselves or an item of theirs
    pairs = Pair.objects.filter(collection=collection)
    excluded_pairs = distinct(
        np.concatenate(
            [column(pairs.filter(exclusion).values_list("pk")) for exclusion in pairs.EXCLUSIONS]
        )
    )
    columns = copied_columns(_LABELS, _COLUMNS, [collection.pk])
    counts = ~np.isin(columns["pair"], excluded_pairs)
    if not counts.any():
        if not Item.objects.filter(collection=collection).exists():
            raise NotDefined("The collection has no items yet: load its items.")
        raise NotDefined(
            "No pair has a label yet that counts: open a pool and judge, or load judgments."
        )
    rows = Annotator.objects.filter(collection=collection)
    return CountingLabels(
        columns=LabelColumns(
            pair=columns["pair"][counts],
            annotator=columns["annotator"][counts],
            grade=columns["grade"][counts],
            round=columns["round"][counts],
            is_planned=columns["is_planned"][counts].astype(bool),
            judgment=columns["judgment"][counts],
        ),
        annotators={
            pk: AnnotatorFacts(pseudonym, origin)
            for pk, pseudonym, origin in rows.values_list("pk", "pseudonym", "origin")
        },
        excluded_pairs=excluded_pairs,
        n_excluded_labels=int(np.count_nonzero(~counts)),
    )
