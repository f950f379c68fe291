"""The evidence on a pair: its labels, seats and reports, the rounds that want it, leads' decisions.

The statements are written out: they run at every answer, and composing them anew each time would
take longer than running them.
"""

from collections import defaultdict
from typing import NamedTuple

from annotate.models import Collection, Policy, Report, Resolution, Round, Seat
from annotate.statements import SqlValue, columns, objects, prepared_cursor, text_list

CANNOT_JUDGE_LIMIT = 2  # people after whom a pair leaves the queue for the lead
_PURPOSES = text_list((*Seat.FOR_LABELS, Seat.Purpose.ADJUDICATION))
# All seats, free ones too, each with its grade: the view of counting judgments has but those done.
_SEATS = f"""
    SELECT {columns(Seat, "seat")}, level.grade
    FROM annotate_seat seat
    LEFT JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
    LEFT JOIN annotate_level level ON level.id = judgment.level_id
    WHERE seat.pair_id = ANY(%(pairs)s) AND seat.purpose IN {_PURPOSES}
    ORDER BY seat.number, seat.id
"""  # noqa: S608 - names of columns
# Among the rounds that want labels of a pair the first by this order has the policy that decides on
# it: an open one before closed ones, of these the most demanding, then the newest.
N_WANTED = "CASE WHEN round_pair.dropped_at IS NULL THEN round_pair.n_wanted ELSE 0 END"
_IS_CLOSED = f"round.state NOT IN {text_list(Round.WANTING)}"
PRECEDENCE = f"ARRAY[({_IS_CLOSED})::int::bigint, -({N_WANTED}), -round.id]"
# An open escalation takes a pair out of the queue, as do too many people who could not judge it.
# There are never too many people whose browsers do not play it: it waits for another browser.
_DEMANDS = f"""
    SELECT {columns(Round, "round")}, {columns(Policy, "policy")},
           {columns(Collection, "collection")},
           round_pair.pair_id,
           {PRECEDENCE}, {N_WANTED}, round_pair.n_wanted,
           EXISTS (SELECT FROM annotate_pairexclusion exclusion
                   WHERE exclusion.pair_id = round_pair.pair_id),
           (SELECT coalesce(bool_or(report.kind = %(escalated)s), false)
                   OR count(DISTINCT report.annotator_id)
                      FILTER (WHERE report.kind <> %(unplayable)s) >= %(limit)s
            FROM annotate_report report
            WHERE report.pair_id = round_pair.pair_id AND report.state = 'open')
    FROM annotate_roundpair round_pair JOIN annotate_round round ON round.id = round_pair.round_id
    JOIN annotate_policy policy ON policy.id = round.policy_id
    JOIN annotate_collection collection ON collection.id = round.collection_id
    WHERE round_pair.pair_id = ANY(%(pairs)s) AND round.kind IN {text_list(Round.FOR_LABELS)}
"""  # noqa: S608 - names of columns


class PairEvidence(NamedTuple):
    """Everything that decides a pair's seats and resolution.

    n_asked : the most any round ever wanted, closed ones too; n_wanted : the most any open one does
    adjudicated_grade : the grade a lead decided on
    model_grade : the grade a model of the annotators gave, if it saw all labels there are
    is_excluded : whether a lead left the pair out
    """

    grades: list[int]
    seats: list[Seat]
    round: Round | None
    n_wanted: int
    n_asked: int
    policy: Policy
    is_escalated: bool
    is_excluded: bool
    adjudicated_grade: int | None = None
    model_grade: int | None = None

    @property
    def open_round(self) -> Round:
        """The open round; for a pair that wants seats, which has one."""
        assert self.round is not None, "no open round, no seats wanted"  # noqa: S101
        return self.round


class RoundDemand(NamedTuple):
    """The number of labels one round wants of one pair.

    precedence : the round with the smallest decides, see PRECEDENCE
    n_asked : the number it wanted before the pair was dropped
    """

    pair: int
    precedence: list[int]
    n_wanted: int
    n_asked: int
    round: Round
    is_excluded: bool
    is_escalated: bool


class _GradedPair(NamedTuple):
    """One pair's counting grades in the order given, its label seats, and a lead's grade."""

    grades: list[int]
    seats: list[Seat]
    adjudicated_grade: int | None


def read_evidence(ids: list[int]) -> dict[int, PairEvidence]:
    """Return the evidence on each pair that any round names: two queries, a third for models."""
    labels = _pair_labels(ids)
    evidence_by_pair: dict[int, PairEvidence] = {}
    demands = _demands(ids)
    most_asked: dict[int, int] = defaultdict(int)
    for demand in demands:
        most_asked[demand.pair] = max(most_asked[demand.pair], demand.n_asked)
    for pair, _, n_wanted, _, round_, is_excluded, is_escalated in demands:
        is_open = round_.state in Round.WANTING
        evidence_by_pair.setdefault(
            pair,
            PairEvidence(
                grades=labels[pair].grades,
                seats=labels[pair].seats,
                round=round_ if is_open else None,
                n_wanted=n_wanted if is_open and not is_excluded else 0,
                n_asked=most_asked[pair],
                policy=round_.policy,
                is_escalated=is_escalated,
                is_excluded=is_excluded,
                adjudicated_grade=labels[pair].adjudicated_grade,
            ),
        )
    by_model = [
        pair
        for pair, evidence in evidence_by_pair.items()
        if evidence.policy.rule == Policy.Rule.MODEL
    ]
    # the grades and numbers of labels that a model stored (see model_grades.py)
    resolutions = Resolution.objects.filter(pair__in=by_model, status=Resolution.Status.MODEL)
    for pair, grade, n_labels in resolutions.values_list("pair_id", "grade", "n_labels"):
        # else the model has yet to see the newest
        if n_labels == len(evidence_by_pair[pair].grades):
            evidence_by_pair[pair] = evidence_by_pair[pair]._replace(model_grade=grade)
    return evidence_by_pair


class _GradedSeat(NamedTuple):
    """A seat and the grade of its judgment, if it has one."""

    seat: Seat
    grade: int | None


def _pair_labels(ids: list[int]) -> dict[int, _GradedPair]:
    seats: dict[int, list[_GradedSeat]] = defaultdict(list)
    with prepared_cursor() as cursor:
        cursor.execute(_SEATS, {"pairs": ids})
        rows = cursor.fetchall()
    for row in rows:
        (seat,) = objects(row, Seat)
        seats[seat.pair_id].append(_GradedSeat(seat, row[-1]))
    return defaultdict(
        lambda: _GradedPair([], [], None),
        {pair: _labels_of(pair_seats) for pair, pair_seats in seats.items()},
    )


def _labels_of(graded_seats: list[_GradedSeat]) -> _GradedPair:
    judgments = sorted(
        (seat.judgment_id, seat.is_for_label, grade)
        for seat, grade in graded_seats
        if seat.judgment_id is not None and grade is not None
    )
    adjudicated_grades = [grade for _, is_label, grade in judgments if not is_label]
    return _GradedPair(
        grades=[grade for _, is_label, grade in judgments if is_label],
        seats=[seat for seat, _ in graded_seats if seat.purpose == Seat.Purpose.LABEL],
        adjudicated_grade=adjudicated_grades[-1] if adjudicated_grades else None,
    )


def _demands(ids: list[int]) -> list[RoundDemand]:
    """Return rounds' demands, of each pair first that of the round whose policy decides."""
    parameters: dict[str, SqlValue] = {
        "pairs": ids,
        "limit": CANNOT_JUDGE_LIMIT,
        "escalated": Report.Kind.ESCALATED,
        "unplayable": Report.Kind.UNPLAYABLE,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_DEMANDS, parameters)
        rows = cursor.fetchall()
    rounds: dict[int, Round] = {}  # one object a round, not one a row: a large pool is one round
    demands = []
    for row in rows:
        *round_columns, pair, precedence, n_wanted, n_asked, is_excluded, is_escalated = row
        round_id = round_columns[0]
        if round_id not in rounds:
            round_, policy, collection = objects(round_columns, Round, Policy, Collection)
            round_.policy, round_.collection = policy, collection
            rounds[round_id] = round_
        demands.append(
            RoundDemand(
                pair, precedence, n_wanted, n_asked, rounds[round_id], is_excluded, is_escalated
            )
        )
    return sorted(demands, key=lambda demand: demand.precedence)
