"""Labels that open pools want and that no present annotator can give: such a pool never ends.

A present annotator has the role of an annotator in the collection, is not paused and not in
training; one who is simulated needs no role. She can give a label of a pair that she has never
judged, held or reported, unless she has judged her share of its pool. A pair that was handed to her
and waits is not stuck.
"""

from typing import NamedTuple

from django.db.models import BooleanField, Case, Q, When

from annotate.core.phrases import counted
from annotate.models import Annotator, Collection, Role
from annotate.services.judging.training_gate import in_training
from annotate.services.judging.work_availability import OPEN_TO
from annotate.services.seating.eligibility import CLAIMABLE, met_pairs
from annotate.statements import prepared_cursor

_AT_MOST = 2_000  # pairs with more seats than people: of more it is enough to know that many are
# Only pairs that nearly every annotator has had can be stuck: the others are left out before
# anything is counted. With fewer annotators than a pair has seats, pairs that nobody had can be.
_STUCK = f"""
    WITH open_to AS ({OPEN_TO}),
    open AS (
        SELECT round.id AS round, greatest(policy.ceiling, policy.labels_per_pair + 1) AS most,
               (SELECT count(*) FROM open_to
                WHERE open_to.round = round.id AND NOT is_used_up) AS n_able
        FROM annotate_round round JOIN annotate_policy policy ON policy.id = round.policy_id
        WHERE round.collection_id = %(collection)s AND round.kind = 'pool'
          AND round.state = 'open'),
    met AS ({met_pairs("%(annotators)s")}),
    waiting AS NOT MATERIALIZED (
        SELECT seat.pair_id, seat.number, open.round, open.n_able
        FROM open JOIN annotate_seat seat ON seat.round_id = open.round
        WHERE seat.purpose = 'label' AND {CLAIMABLE}
          AND (seat.state = 'free' OR seat.annotator_id <> ALL(%(annotators)s))),
    beyond AS MATERIALIZED (SELECT pair_id FROM waiting WHERE number > n_able LIMIT %(at_most)s),
    near AS (
        SELECT pair_id FROM (SELECT pair_id FROM met GROUP BY pair_id
                             HAVING count(*) > (SELECT min(n_able - most) FROM open)) often
        WHERE EXISTS (SELECT FROM waiting WHERE waiting.pair_id = often.pair_id)
        UNION SELECT pair_id FROM beyond),
    demand AS (
        SELECT waiting.round, near.pair_id, waiting.n_able, count(*) AS n
        FROM near JOIN waiting ON waiting.pair_id = near.pair_id GROUP BY 1, 2, 3),
    short AS (
        SELECT demand.round, least(demand.n, demand.n - demand.n_able + count(able.annotator)) AS n
        FROM demand LEFT JOIN met ON met.pair_id = demand.pair_id
        LEFT JOIN open_to able ON able.annotator = met.annotator_id
            AND able.round = demand.round AND NOT able.is_used_up
        GROUP BY demand.round, demand.pair_id, demand.n, demand.n_able)
    SELECT round, sum(n), count(*), max(n),
           (SELECT count(*) FROM beyond) >= %(at_most)s
    FROM short WHERE n > 0 GROUP BY round
"""  # noqa: S608 - own words


class StuckLabels(NamedTuple):
    """Labels that no present annotator can give, and the pairs they are of.

    is_more : whether there may be more than were counted
    n_newcomers : people who would have to come for these, at least
    n_people : present annotators; n_paused, n_in_training : those paused, or not yet trained
    """

    n_labels: int
    n_pairs: int
    is_more: bool
    n_people: int
    n_paused: int
    n_in_training: int
    n_newcomers: int = 1

    @property
    def count_text(self) -> str:
        """The number of labels, or that there may be more."""
        return f"{self.n_labels:,}{' or more' * self.is_more}"

    @property
    def sentence(self) -> str:
        """The state of things, for a lead."""
        labels = f"{self.count_text} labels are"
        if self.n_labels == 1 and not self.is_more:
            labels = "1 label is"
        pairs = f"{self.n_pairs:,} or more pairs" if self.is_more else counted(self.n_pairs, "pair")
        if not self.n_people:
            return f"{labels} wanted on {pairs}, and nobody is there to judge."
        here = "1 person is" if self.n_people == 1 else f"{self.n_people} people are"
        rule = (
            "Each person gives one label of a pair at most, none of one they reported or passed on"
        )
        rule += ", and no more than their share of a pool"
        return f"{labels} wanted on {pairs} that nobody here can give. {rule}; {here} here."

    @property
    def researcher_advice(self) -> str:
        """The advice to a researcher, who invites nobody."""
        return f"What a lead can do: {self.advice[0].lower()}{self.advice[1:]}"

    @property
    def advice(self) -> str:
        """The advice to a lead."""
        pauses_text = {0: "", 1: " Let the one who is paused go on."}.get(
            self.n_paused, " Let those who are paused go on."
        )
        if self.n_in_training:
            verb = "is" if self.n_in_training == 1 else "are"
            pauses_text += f" {self.n_in_training} more {verb} in training still."
        newcomers = counted(self.n_newcomers, "more annotator" if self.n_people else "annotator")
        if self.n_newcomers == 1:
            newcomers = "another annotator" if self.n_people else "an annotator"
        return f"Invite {newcomers}.{pauses_text} Or close the pool: what it has is kept."


def stuck_labels(*, collection: Collection) -> dict[int, StuckLabels]:
    """Return the labels that nobody can give, by open round that has any; two queries.

    None of an archived collection, in which nobody is asked for any.
    """
    if collection.archived_at is not None:
        return {}
    members = Q(
        origin=Annotator.Origin.PERSON,
        user__memberships__collection=collection,
        user__memberships__role=Role.ANNOTATOR,
    )
    people = Annotator.objects.filter(
        members | Q(origin=Annotator.Origin.SIMULATED), collection=collection
    ).annotate(
        is_in_training=Case(
            When(in_training(), then=True), default=False, output_field=BooleanField()
        )
    )
    able_ids = [
        person.pk for person in people if person.paused_at is None and not person.is_in_training
    ]
    n_paused = sum(person.paused_at is not None for person in people)
    n_in_training = len(people) - len(able_ids) - n_paused
    with prepared_cursor() as cursor:
        cursor.execute(
            _STUCK, {"collection": collection.pk, "annotators": able_ids, "at_most": _AT_MOST}
        )
        return {
            round_: StuckLabels(
                int(n_labels),
                n_pairs,
                is_more,
                len(able_ids),
                n_paused,
                n_in_training,
                n_newcomers,
            )
            for round_, n_labels, n_pairs, n_newcomers, is_more in cursor.fetchall()
        }


def total_stuck(stuck_by_round: dict[int, StuckLabels]) -> StuckLabels | None:
    """Return the sum over all open rounds of a collection; None if no label is stuck."""
    if not stuck_by_round:
        return None
    rounds = list(stuck_by_round.values())
    return rounds[0]._replace(
        n_labels=sum(in_round.n_labels for in_round in rounds),
        n_pairs=sum(in_round.n_pairs for in_round in rounds),
        is_more=any(in_round.is_more for in_round in rounds),
        n_newcomers=max(in_round.n_newcomers for in_round in rounds),
    )
