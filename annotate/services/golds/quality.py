"""People's answers to the golds, and the golds that most good people fail."""

from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import F, Q

from annotate.core.consequences import Consequences
from annotate.core.labels.golds import gold_statistics
from annotate.models import (
    Annotator,
    Collection,
    CountingJudgment,
    Gold,
    Level,
    Pair,
    Policy,
    Seat,
)
from annotate.services.golds.consequences import retirement_consequences

MOST_MISSED = 20  # golds that a person's page lists


class MissedGold(NamedTuple):
    """A gold that a person answered wrongly: the level of the answer, and the right one."""

    pair: Pair
    level: Level
    right_level: Level
    explanation: str
    at: datetime


class GoldLine(NamedTuple):
    """A gold, its answers and wrong answers, and both counts for people good at other golds."""

    gold: Gold
    n: int
    n_wrong: int
    n_good: int
    n_good_wrong: int
    is_flagged: bool

    @property
    def retirement(self) -> Consequences:
        """The consequences of retiring it."""
        return retirement_consequences(gold=self.gold, n=self.n, n_wrong=self.n_wrong)


def gold_lines(*, collection: Collection) -> list[GoldLine]:
    """Return the golds in use with their answers, doubtful ones first; three queries."""
    in_use = Gold.objects.filter(collection=collection, retired_at=None).order_by("pk")
    pair_ids = np.array(in_use.values_list("pair_id", flat=True), dtype=np.int64)
    answers = CountingJudgment.objects.filter(collection=collection, purpose=Seat.Purpose.GOLD)
    in_use_answers = answers.filter(pair__golds__retired_at=None, pair__golds__isnull=False)
    rows = in_use_answers.order_by("seat").values_list(
        "pair_id", "annotator_id", "grade", "pair__golds__grade"
    )
    # A gold may come to a person in more than one round: her last answer is the one that counts.
    last_answers = {(pair, person): (grade, gold_grade) for pair, person, grade, gold_grade in rows}
    answer_rows = np.array(
        [(*key, *value) for key, value in last_answers.items()], dtype=np.int64
    ).reshape(-1, 4)
    is_positive = answer_rows[:, 2:] >= collection.positive_from
    smallest = Policy.objects.filter(collection=collection).latest("version").gold_pass
    statistics = gold_statistics(
        pair_ids,
        gold=answer_rows[:, 0],
        person=answer_rows[:, 1],
        is_right=is_positive[:, 0] == is_positive[:, 1],
        min_share=float(smallest),
    )
    columns = zip(*(column.tolist() for column in statistics), strict=True)
    lines = [GoldLine(gold, *row) for gold, row in zip(in_use, columns, strict=True)]
    return sorted(
        lines,
        key=lambda line: (not line.is_flagged, -line.n_good_wrong, -line.n_wrong, line.gold.pk),
    )


def missed_golds(*, annotator: Annotator) -> tuple[list[MissedGold], int]:
    """Return the last golds in use that a person missed, with their items, and how many in all.

    Five queries. An answer is wrong where it is on the other side of the threshold.
    """
    collection = annotator.collection
    threshold = collection.positive_from
    answers = CountingJudgment.objects.filter(
        Q(grade__gte=threshold, pair__golds__grade__lt=threshold)
        | Q(grade__lt=threshold, pair__golds__grade__gte=threshold),
        collection=collection,
        annotator=annotator,
        purpose=Seat.Purpose.GOLD,
        pair__golds__retired_at=None,
    )
    last_first = (
        answers.annotate(
            right_grade=F("pair__golds__grade"), explanation=F("pair__golds__explanation")
        )
        .select_related("judgment__level", "pair__query", "pair__document")
        .prefetch_related("pair__query__parts", "pair__document__parts")
        .order_by("-at", "-judgment")
    )
    level_by_grade = {level.grade: level for level in collection.levels.all()}
    last_golds = [
        MissedGold(
            answer.pair,
            answer.judgment.level,
            level_by_grade[answer.right_grade],
            answer.explanation,
            answer.at,
        )
        for answer in last_first[:MOST_MISSED]
    ]
    return last_golds, answers.count()


def doubtful(*, collection: Collection) -> list[GoldLine]:
    """Return the golds that most good people fail, with their items; two queries of parts more."""
    flagged = [line for line in gold_lines(collection=collection) if line.is_flagged]
    pairs = Pair.objects.select_related("query", "document").prefetch_related(
        "query__parts", "document__parts"
    )
    pairs_by_id = pairs.in_bulk([line.gold.pair_id for line in flagged])
    for line in flagged:
        line.gold.pair = pairs_by_id[line.gold.pair_id]
    return flagged
