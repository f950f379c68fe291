"""What the current numbers of a collection rest on: one small, ordered summary a kind, read in a few queries.

A summary is JSON: its hash tells whether a number has to be computed again, and seeds the bootstrap.
"""

from collections import defaultdict
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q

from annotate.models import Collection, Level, ReferenceSet, Report, Resolution, Round, RoundPair, Seat

Summary = dict[str, Any]
WANTING = (Round.Kind.POOL, Round.Kind.IMPORT)  # the kinds of rounds whose labels count

_GIVEN = """
    SELECT given, count(*) FROM (
        SELECT array_agg(level.grade ORDER BY seat.number, seat.id) AS given
        FROM annotate_seat seat
        JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
        JOIN annotate_level level ON level.id = judgment.level_id
        WHERE seat.collection_id = %s AND seat.state = 'done' AND seat.purpose IN ('label', 'import')
        GROUP BY seat.pair_id
    ) pairs GROUP BY given ORDER BY given
"""
_WORK = """
    SELECT annotator.id, annotator.pseudonym, annotator.origin,
           count(*) FILTER (WHERE seat.purpose IN ('label', 'import')) AS n_labels,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY judgment.active_ms) AS median_ms,
           count(gold.id) FILTER (WHERE seat.purpose = 'gold') AS n_gold,
           count(gold.id) FILTER (WHERE seat.purpose = 'gold'
                                  AND (level.grade >= %(threshold)s) = (gold.grade >= %(threshold)s)) AS n_right
    FROM annotate_seat seat
    JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
    JOIN annotate_level level ON level.id = judgment.level_id
    JOIN annotate_annotator annotator ON annotator.id = seat.annotator_id
    LEFT JOIN annotate_gold gold ON gold.pair_id = seat.pair_id AND seat.purpose = 'gold'
    WHERE seat.collection_id = %(collection)s AND seat.state = 'done'
    GROUP BY annotator.id ORDER BY annotator.pseudonym
"""
_SHARED = """
    SELECT annotator_id, sum(n_pair - 1)::bigint, sum(n_level - 1)::bigint FROM (
        SELECT seat.annotator_id,
               count(*) OVER (PARTITION BY seat.pair_id) AS n_pair,
               count(*) OVER (PARTITION BY seat.pair_id, judgment.level_id) AS n_level
        FROM annotate_seat seat JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
        WHERE seat.collection_id = %s AND seat.state = 'done' AND seat.purpose IN ('label', 'import')
    ) labels WHERE n_pair > 1 GROUP BY annotator_id
"""
_CONFLICTS = """
    SELECT count(*), count(said.grade), count(*) FILTER (WHERE said.grade = label.grade),
           count(*) FILTER (WHERE label.grade >= %(threshold)s AND said.grade < %(threshold)s),
           count(*) FILTER (WHERE label.grade < %(threshold)s AND said.grade >= %(threshold)s)
    FROM annotate_referencelabel label
    LEFT JOIN annotate_pair pair ON pair.query_id = label.query_id AND pair.document_id = label.document_id
    LEFT JOIN annotate_resolution said ON said.pair_id = pair.id
    WHERE label.reference_set_id = %(reference)s
"""


def progress(collection: Collection) -> Summary:
    """Each round that wants labels: its pairs and how they are resolved, its seats and labels, what was reported."""
    rounds = Round.objects.filter(collection=collection, kind__in=WANTING)
    rows = rounds.order_by("pk").values("pk", "kind", "state", "name", "pool__pk", "pool__name")
    counts = _counts_by_round(collection)
    return {
        "total": _total(collection, counts),
        "rounds": [
            {
                "round": row["pk"],
                "pool": row["pool__pk"],
                "name": row["pool__name"] or row["name"],
                "kind": row["kind"],
                "state": row["state"],
                **counts[row["pk"]],
            }
            for row in rows
        ]
    }


def _total(collection: Collection, counts: dict[int, dict[str, int]]) -> dict[str, int]:
    """All rounds together: a pair that several rounds name is one pair; seats belong to one round each."""
    status = "pair__resolution__status"
    named = RoundPair.objects.filter(round__collection=collection, round__kind__in=WANTING)
    pairs = named.aggregate(
        n_pairs=Count("pair", distinct=True),
        n_resolved=Count("pair", distinct=True, filter=Q(pair__resolution__grade__isnull=False)),
        n_disputed=Count("pair", distinct=True, filter=Q(**{status: Resolution.Status.DISPUTED})),
        n_cannot_judge=Count(
            "pair",
            distinct=True,
            filter=Q(pair__reports__kind=Report.Kind.CANNOT_JUDGE, pair__reports__settled_at=None),
        ),
    )
    return pairs | {name: sum(row[name] for row in counts.values()) for name in ("n_left", "n_done")}


def _counts_by_round(collection: Collection) -> dict[int, dict[str, int]]:
    names = ["n_pairs", "n_resolved", "n_disputed", "n_escalated", "n_left", "n_done", "n_cannot_judge"]
    counts: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(names, 0))
    status = "pair__resolution__status"
    pairs = (
        RoundPair.objects.filter(round__collection=collection)
        .values("round")
        .annotate(
            n_pairs=Count("pk"),
            n_resolved=Count("pk", filter=Q(pair__resolution__grade__isnull=False)),
            n_disputed=Count("pk", filter=Q(**{status: Resolution.Status.DISPUTED})),
            n_escalated=Count("pk", filter=Q(**{status: Resolution.Status.ESCALATED})),
        )
    )
    seats = (
        Seat.objects.filter(collection=collection, purpose__in=Seat.COUNTING)
        .values("round")
        .annotate(
            n_left=Count("pk", filter=Q(state__in=[Seat.State.FREE, Seat.State.HELD])),
            n_done=Count("pk", filter=Q(state=Seat.State.DONE)),
        )
    )
    reports = Report.objects.filter(collection=collection, settled_at=None, kind=Report.Kind.CANNOT_JUDGE)
    unjudged = reports.values(round=F("hand_out__seat__round")).annotate(n_cannot_judge=Count("pair", distinct=True))
    tables: tuple[Any, ...] = (pairs, seats, unjudged)
    for rows in tables:
        for row in rows.order_by():
            counts[row["round"]] |= {name: row[name] for name in names if name in row}
    return counts


def agreement(collection: Collection) -> Summary:
    """How often each sequence of grades, in the order of the seats, was given to a pair."""
    with connection.cursor() as cursor:
        cursor.execute(_GIVEN, [collection.pk])
        given = [[list(grades), n] for grades, n in cursor.fetchall()]
    return {
        "measurement": collection.measurement,
        "domain": list(collection.levels.order_by("grade").values_list("grade", flat=True)),
        "given": given,
    }


def distribution(collection: Collection) -> Summary:
    """How often each level was given, and how often it is a pair's grade; how the grades came about."""
    done = Seat.objects.filter(collection=collection, state=Seat.State.DONE, purpose__in=Seat.COUNTING)
    given = dict(done.values_list("judgment__level__grade").annotate(n=Count("pk")).order_by())
    resolutions = Resolution.objects.filter(collection=collection)
    resolved = dict(resolutions.values_list("grade").annotate(n=Count("pk")).order_by())
    statuses = dict(resolutions.values_list("status").annotate(n=Count("pk")).order_by("status"))
    levels = [
        {
            "grade": level.grade,
            "name": level.name,
            "colour": level.colour,
            "n_given": given.get(level.grade, 0),
            "n_resolved": resolved.get(level.grade, 0),
        }
        for level in Level.objects.filter(collection=collection).order_by("-grade")
    ]
    return {"levels": levels, "statuses": statuses}


def people(collection: Collection) -> Summary:
    """Each annotator's counting labels, median active time, golds met, and labels equal to somebody else's."""
    with connection.cursor() as cursor:
        cursor.execute(_WORK, {"collection": collection.pk, "threshold": collection.positive_from})
        work = cursor.fetchall()
        cursor.execute(_SHARED, [collection.pk])
        shared = {annotator: (n, n_equal) for annotator, n, n_equal in cursor.fetchall()}
    return {
        "people": [
            {
                "annotator": pk,
                "pseudonym": pseudonym,
                "origin": origin,
                "n_labels": n_labels,
                "median_ms": median_ms,
                "n_gold": n_gold,
                "n_right": n_right,
                "n_shared": shared.get(pk, (0, 0))[0],
                "n_equal": shared.get(pk, (0, 0))[1],
            }
            for pk, pseudonym, origin, n_labels, median_ms, n_gold, n_right in work
        ]
    }


def conflicts(collection: Collection) -> Summary:
    """How each reference set and people differ on the pairs that carry both their grades.

    A false positive is a pair that the reference calls positive and people do not, a false negative the reverse;
    n_unchecked are pairs of the reference without a grade by people.
    """
    names = ["n_reference", "n_both", "n_equal", "n_false_positives", "n_false_negatives"]
    rows = []
    for reference in ReferenceSet.objects.filter(collection=collection).order_by("pk"):
        with connection.cursor() as cursor:
            cursor.execute(_CONFLICTS, {"reference": reference.pk, "threshold": collection.positive_from})
            counts = dict(zip(names, cursor.fetchone(), strict=True))
        unchecked = counts["n_reference"] - counts["n_both"]
        rows.append({"reference_set": reference.pk, "name": reference.name, **counts, "n_unchecked": unchecked})
    return {"threshold": collection.positive_from, "references": rows}
