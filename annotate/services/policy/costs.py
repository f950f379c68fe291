"""The cost of a policy: labels and golds a new pair takes, and the time of people.

The median time of many judgments is a kept value: a price is read at each pause of typing, and
sorting a million judgments takes a second.
"""

from datetime import timedelta
from typing import NamedTuple

from django.db import connection
from django.utils import timezone

from annotate.core.labels.resolving import n_first
from annotate.core.phrases import counted
from annotate.models import Collection, Gold, Kept, Policy
from annotate.services.background import kept
from annotate.services.background.kept import Computed, Inquiry
from annotate.services.seating.seat_plan import label_policy

USUAL_SECONDS = 9.0  # for a judgment, until the collection has a median of its own
EXAMPLE_PAIRS = 1000
PACE = "pace"
FRESH_FOR = timedelta(minutes=10)
SYNCHRONOUS_TIMES = 5_000  # judgments read within a request; of more a worker keeps the median
# Of at most so many judgments, NULL for all, those without a time aside; and their number.
_MEDIAN = """
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY active_ms), count(*)
    FROM (SELECT active_ms FROM annotate_judgment
          WHERE collection_id = %(collection)s LIMIT %(most)s) AS timed
"""


class PolicyCost(NamedTuple):
    """The price of new pairs at a policy, third labels on disagreement not counted.

    labels : of a new pair, expected
    golds : checks handed out with a label, expected
    seconds : a judgment; is_measured : whether that is the collection's own median
    hourly_pay : None where the collection names none
    adds_labels : whether further labels are asked for where people disagree
    """

    labels: float
    golds: float
    seconds: float
    is_measured: bool
    hourly_pay: float | None
    currency: str
    adds_labels: bool

    @property
    def hours(self) -> float:
        """Hours of people for the pairs of the example."""
        return EXAMPLE_PAIRS * self.labels * (1 + self.golds) * self.seconds / 3600

    @property
    def sentence(self) -> str:
        """The price of the example, in words."""
        golds = round(EXAMPLE_PAIRS * self.labels * self.golds)
        checks = f" and {counted(golds, 'known pair')}" if golds else ""
        money = ""
        if self.hourly_pay is not None:
            money = f", {self.hours * self.hourly_pay:,.0f} {self.currency}"
        source = "the median here" if self.is_measured else "assumed until people have judged"
        further = " Further labels where people disagree come on top." if self.adds_labels else ""
        return (
            f"{EXAMPLE_PAIRS:,} new pairs take {round(EXAMPLE_PAIRS * self.labels):,} labels"
            f"{checks}: about {self.hours:.1f} hours{money}, at {self.seconds:.1f} seconds a "
            f"judgment ({source}).{further}"
        )


def policy_cost(policy: Policy) -> PolicyCost:
    """The cost of a policy, stored or not, in its collection; four queries."""
    collection = policy.collection
    seconds, is_measured = pace(collection=collection)
    pay = collection.hourly_pay
    return PolicyCost(
        labels=labels_of_new_pair(policy),
        golds=golds_a_batch(collection=collection, policy=policy) / policy.batch_candidates,
        seconds=seconds,
        is_measured=is_measured,
        hourly_pay=None if pay is None else float(pay),
        currency=collection.currency,
        adds_labels=policy.ceiling > policy.labels_per_pair,
    )


def pace(*, collection: Collection) -> tuple[float, bool]:
    """Seconds a judgment takes here, the median, and whether it was measured.

    Of many judgments it is a worker's, ten minutes old at most where labels are looked at; until
    there is one it is computed at once. Usually one query.
    """
    inquiry = Inquiry(collection, PACE)
    row = kept.find(inquiry=inquiry)
    if row is None:
        median, n = _median(collection, most=SYNCHRONOUS_TIMES + 1)
        if n > SYNCHRONOUS_TIMES:
            kept.look(inquiry=inquiry, with_value=False)
            median, _ = _median(collection)
    else:
        median = row.value
        if row.fresh_until is not None and row.fresh_until <= timezone.now():
            kept.look(inquiry=inquiry, with_value=False)
    return (median / 1000, True) if median else (USUAL_SECONDS, False)


@kept.keeps(PACE, fresh_for=FRESH_FOR)
def compute_pace(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Compute the median time of a collection's judgments, in milliseconds."""
    median, _ = _median(inquiry.collection)
    return Computed(median)


def _median(collection: Collection, *, most: int | None = None) -> tuple[float | None, int]:
    """The median of known times in milliseconds of `most` judgments or all, and their number."""
    with connection.cursor() as cursor:
        cursor.execute(_MEDIAN, {"collection": collection.pk, "most": most})
        median, n = cursor.fetchone()
    return median, n


def labels_of_new_pair(policy: Policy) -> float:
    """The labels that a pool asks for at first of a pair without any, doubles with their share."""
    terms, n_planned = label_policy(policy), policy.labels_per_pair
    share = float(policy.double_share)
    return (1 - share) * n_first(n_planned, terms) + share * n_first(n_planned + 1, terms)


def golds_a_batch(*, collection: Collection, policy: Policy) -> int:
    """Golds of a full batch; 0 where the collection has nothing to choose them from."""
    available = (
        collection.reference_sets.usual().exists()
        or Gold.objects.filter(collection=collection).exists()
    )
    return policy.gold_positives + policy.gold_negatives if available else 0
