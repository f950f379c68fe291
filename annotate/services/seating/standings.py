"""What stands for a pair: its labels, seats and reports, what rounds want of it, what leads decided.

The statements are written out: they run at every answer, and putting them together anew each time would take longer
than running them.
"""

from collections import defaultdict
from typing import NamedTuple

from annotate.models import Collection, Policy, Report, Resolution, Round, Seat
from annotate.statements import columns, objects, prepared

CANNOT_JUDGE_LIMIT = 2  # people after whom a pair leaves the queue for the lead
_SEATS = f"""
    SELECT {columns(Seat, "seat")}, level.grade
    FROM annotate_seat seat
    LEFT JOIN annotate_judgment said ON said.id = seat.judgment_id
    LEFT JOIN annotate_level level ON level.id = said.level_id
    WHERE seat.pair_id = ANY(%(pairs)s) AND seat.purpose IN ('label', 'import', 'adjudication')
    ORDER BY seat.number, seat.id
"""  # noqa: S608 - names of columns
# An open escalation takes a pair out of the queue, as do too many people who could not judge it. Of people whose
# browsers do not play it there are never too many: it waits for another browser.
_WISHES = f"""
    SELECT {columns(Round, "round")}, {columns(Policy, "policy")}, {columns(Collection, "collection")},
           wish.pair_id, CASE WHEN wish.dropped_at IS NULL THEN wish.n_wanted ELSE 0 END, wish.n_wanted,
           EXISTS (SELECT FROM annotate_pairexclusion out WHERE out.pair_id = wish.pair_id),
           (SELECT coalesce(bool_or(report.kind = %(escalated)s), false)
                   OR count(DISTINCT report.annotator_id) FILTER (WHERE report.kind <> %(unplayable)s) >= %(limit)s
            FROM annotate_report report WHERE report.pair_id = wish.pair_id AND report.state = 'open')
    FROM annotate_roundpair wish JOIN annotate_round round ON round.id = wish.round_id
    JOIN annotate_policy policy ON policy.id = round.policy_id
    JOIN annotate_collection collection ON collection.id = round.collection_id
    WHERE wish.pair_id = ANY(%(pairs)s) AND round.kind IN ('pool', 'import')
"""  # noqa: S608 - names of columns


class Standing(NamedTuple):
    """All that decides a pair's seats and resolution.

    n_asked : the most any round ever wanted, closed ones too; n_wanted : the most any open one does
    adjudicated : the grade a lead decided on
    excluded : that a lead left the pair out
    """

    grades: list[int]
    seats: list[Seat]
    round: Round | None
    n_wanted: int
    n_asked: int
    policy: Policy
    escalated: bool
    excluded: bool
    adjudicated: int | None = None
    modelled: int | None = None


class Wish(NamedTuple):
    """What one round wants of one pair; n_asked : what it did before the pair was dropped."""

    pair: int
    n_wanted: int
    n_asked: int
    round: Round
    is_excluded: bool
    is_escalated: bool


class _Given(NamedTuple):
    """One pair's counting grades in the order they were given, its label seats, and the grade a lead decided on."""

    grades: list[int]
    seats: list[Seat]
    adjudicated: int | None


def standings_of(ids: list[int]) -> dict[int, Standing]:
    """What stands for each pair that any round names, in two queries; a third where a model resolves."""
    given = _given(ids)
    standings: dict[int, Standing] = {}
    wishes = _wishes(ids)
    asked: dict[int, int] = defaultdict(int)
    for wish in wishes:
        asked[wish.pair] = max(asked[wish.pair], wish.n_asked)
    for pair, n_wanted, _, round_, is_excluded, is_escalated in wishes:
        is_open = round_.state in Round.WANTING
        standings.setdefault(
            pair,
            Standing(
                grades=given[pair].grades,
                seats=given[pair].seats,
                round=round_ if is_open else None,
                n_wanted=n_wanted if is_open and not is_excluded else 0,
                n_asked=asked[pair],
                policy=round_.policy,
                escalated=is_escalated,
                excluded=is_excluded,
                adjudicated=given[pair].adjudicated,
            ),
        )
    by_model = [pair for pair, standing in standings.items() if standing.policy.rule == Policy.Rule.MODEL]
    for pair, grade, n_labels in _modelled(by_model):
        if n_labels == len(standings[pair].grades):  # else the model has yet to see the newest
            standings[pair] = standings[pair]._replace(modelled=grade)
    return standings


def _given(ids: list[int]) -> dict[int, _Given]:
    seats: dict[int, list[Seat]] = defaultdict(list)
    with prepared() as cursor:
        cursor.execute(_SEATS, {"pairs": ids})
        rows = cursor.fetchall()
    for row in rows:
        (seat,) = objects(row, Seat)
        seat.grade = row[-1]
        seats[seat.pair_id].append(seat)
    return defaultdict(lambda: _Given([], [], None), {pair: _given_of(each) for pair, each in seats.items()})


def _given_of(seats: list[Seat]) -> _Given:
    done = sorted((seat for seat in seats if seat.state == Seat.State.DONE), key=lambda seat: seat.judgment_id)
    decided = [seat.grade for seat in done if seat.purpose == Seat.Purpose.ADJUDICATION]
    return _Given(
        grades=[seat.grade for seat in done if seat.purpose in Seat.COUNTING],
        seats=[seat for seat in seats if seat.purpose == Seat.Purpose.LABEL],
        adjudicated=decided[-1] if decided else None,
    )


def _modelled(ids: list[int]) -> list[tuple[int, int, int]]:
    """Pair, grade and number of labels of what services/modelling.py wrote; asked for where a policy wants it alone."""
    if not ids:
        return []
    found = Resolution.objects.filter(pair__in=ids, status=Resolution.Status.MODEL)
    return list(found.values_list("pair_id", "grade", "n_labels"))


def _wishes(ids: list[int]) -> list[Wish]:
    """What each round wants of each pair: open rounds first, the most demanding of them, then the newest."""
    kinds = {"escalated": Report.Kind.ESCALATED, "unplayable": Report.Kind.UNPLAYABLE}
    asked = {"pairs": ids, "limit": CANNOT_JUDGE_LIMIT, **kinds}
    with prepared() as cursor:
        cursor.execute(_WISHES, asked)
        rows = cursor.fetchall()
    rounds: dict[int, Round] = {}  # one object a round, not one a row: a large pool is one round
    wishes = []
    for row in rows:
        *of_round, pair, n_wanted, n_asked, is_excluded, is_escalated = row
        round_ = rounds.get(of_round[0]) or rounds.setdefault(of_round[0], _round(of_round))
        wishes.append(Wish(pair, n_wanted, n_asked, round_, is_excluded, is_escalated))
    return sorted(wishes, key=lambda wish: (wish.round.state not in Round.WANTING, -wish.n_wanted, -wish.round.pk))


def _round(row: list[object]) -> Round:
    """A round with its policy and collection."""
    round_, policy, collection = objects(row, Round, Policy, Collection)
    round_.policy, round_.collection = policy, collection
    return round_
