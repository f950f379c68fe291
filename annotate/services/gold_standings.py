"""How people answered the golds, and which golds most good people fail."""

from typing import NamedTuple

import numpy as np

from annotate.core.golds import standings
from annotate.models import Collection, Gold, Pair, Policy, Seat


class GoldLine(NamedTuple):
    """A gold, and how it was answered: answers, wrong ones, and those of people who are right on the other golds."""

    gold: Gold
    n: int
    n_wrong: int
    n_good: int
    n_good_wrong: int
    is_flagged: bool


def gold_lines(*, collection: Collection) -> list[GoldLine]:
    """The golds in use with how they were answered, doubtful ones first; three queries and one of parts a side."""
    in_use = Gold.objects.filter(collection=collection, retired_at=None).order_by("pk")
    keys = np.array(in_use.values_list("pair_id", flat=True), dtype=np.int64)
    done = Seat.objects.filter(collection=collection, purpose=Seat.Purpose.GOLD, state=Seat.State.DONE)
    answers = done.filter(pair__golds__retired_at=None, pair__golds__isnull=False).order_by("pk")
    rows = answers.values_list("pair_id", "annotator_id", "judgment__level__grade", "pair__golds__grade")
    # A gold may come to a person in more than one round: her last answer is the one that speaks.
    last = {(pair, person): (grade, known) for pair, person, grade, known in rows}
    given = np.array([(*key, *value) for key, value in last.items()], dtype=np.int64).reshape(-1, 4)
    is_positive = given[:, 2:] >= collection.positive_from
    smallest = Policy.objects.filter(collection=collection).latest("version").gold_pass
    found = standings(
        keys, gold=given[:, 0], person=given[:, 1], is_right=is_positive[:, 0] == is_positive[:, 1],
        smallest=float(smallest),
    )  # fmt: skip
    columns = zip(*(column.tolist() for column in found), strict=True)
    lines = [GoldLine(gold, *row) for gold, row in zip(in_use, columns, strict=True)]
    return sorted(lines, key=lambda line: (not line.is_flagged, -line.n_good_wrong, -line.n_wrong, line.gold.pk))


def doubtful(*, collection: Collection) -> list[GoldLine]:
    """The golds that most good people fail, with their items."""
    flagged = [line for line in gold_lines(collection=collection) if line.is_flagged]
    pairs = Pair.objects.select_related("query", "document").prefetch_related("query__parts", "document__parts")
    known = pairs.in_bulk([line.gold.pair_id for line in flagged])
    for line in flagged:
        line.gold.pair = known[line.gold.pair_id]
    return flagged
