"""Shares of labels and grades that the known truth of a rehearsal calls right."""

from typing import NamedTuple

from django.db import connection

from annotate.core.figures import percent_text
from annotate.models import Collection, ReferenceSet

# A pair without a label in the truth is not positive there: the truth names positives alone.
_LABELS = """
    SELECT judgment.annotator_id, count(*),
           count(*) FILTER (WHERE (judgment.grade >= %(threshold)s)
                                = (coalesce(truth.grade, -1) >= %(threshold)s))
    FROM annotate_countingjudgment judgment JOIN annotate_pair pair ON pair.id = judgment.pair_id
    LEFT JOIN annotate_referencelabel truth
         ON truth.query_id = pair.query_id AND truth.document_id = pair.document_id
            AND truth.reference_set_id = %(truth)s
    WHERE judgment.collection_id = %(collection)s AND judgment.is_label
    GROUP BY judgment.annotator_id
"""
_GRADES = """
    SELECT count(*),
           count(*) FILTER (WHERE (resolution.grade >= %(threshold)s)
                                = (coalesce(truth.grade, -1) >= %(threshold)s))
    FROM annotate_resolution resolution JOIN annotate_pair pair ON pair.id = resolution.pair_id
    LEFT JOIN annotate_referencelabel truth
         ON truth.query_id = pair.query_id AND truth.document_id = pair.document_id
            AND truth.reference_set_id = %(truth)s
    WHERE resolution.collection_id = %(collection)s AND resolution.grade IS NOT NULL
"""


class RightShare(NamedTuple):
    """Labels or grades on the right side of the threshold by the known truth, and all of them.

    nouns : for what is counted
    """

    n_right: int
    n: int
    nouns: str = "labels"

    @property
    def percent(self) -> float | None:
        """Per cent that are right; None where there are none."""
        return 100 * self.n_right / self.n if self.n else None

    @property
    def text(self) -> str:
        """The share in words; empty where there is nothing to share."""
        if self.percent is None:
            return ""
        return f"known truth: {percent_text(self.percent)} % of {self.nouns} right"


class KnownTruth(NamedTuple):
    """The shares that are right: of each annotator's labels, by key, and of the pairs' grades."""

    by_annotator: dict[int, RightShare]
    grades: RightShare

    @property
    def labels(self) -> RightShare:
        """All labels that count."""
        shares = self.by_annotator.values()
        return RightShare(sum(share.n_right for share in shares), sum(share.n for share in shares))

    @property
    def note(self) -> str:
        """The meaning of these shares in a line, where they are told without a person's."""
        return "The people are simulated; “known truth” compares with the true grades."

    @property
    def sentence(self) -> str:
        """The meaning of these shares in words."""
        return (
            "The people here are simulated, and the true grade of each pair is known. “Known "
            "truth” tells how many labels, and how many grades of pairs, are on its side of the "
            "threshold. No other number on this page counts it."
        )


def known_truth(*, collection: Collection) -> KnownTruth | None:
    """The shares that the known truth calls right; None, without a query, outside rehearsals."""
    if not collection.is_rehearsal:
        return None
    truth = ReferenceSet.objects.known_truth().filter(collection=collection).first()
    if truth is None:
        return None
    parameters = {
        "collection": collection.pk,
        "threshold": collection.positive_from,
        "truth": truth.pk,
    }
    with connection.cursor() as cursor:
        cursor.execute(_LABELS, parameters)
        by_annotator = {pk: RightShare(n_right, n) for pk, n, n_right in cursor.fetchall()}
        cursor.execute(_GRADES, parameters)
        n, n_right = cursor.fetchone()
    return KnownTruth(by_annotator, RightShare(n_right, n, "grades of pairs"))
