"""Labels that open pools want and that nobody who is there can give: a pool that waits for these never ends.

Somebody is there who has the role of an annotator in the collection and is not paused. She can give a label of a pair
that she has had nothing of, or that was handed to her and waits, unless she has judged her share of its pool.
"""

from typing import NamedTuple

from annotate.models import Annotator, Collection, Role
from annotate.services.work import OPEN_TO
from annotate.statements import prepared

_AT_MOST = 2_000  # pairs that are looked at: of more it is enough to know that they are many
# Only pairs that nearly everybody has been at can be stuck: the others are left out before anything is counted of them.
# Where fewer are there than a pair has seats, those that nobody has been at can be, too.
_STUCK = f"""
    WITH open_to AS ({OPEN_TO}),
    open AS (
        SELECT round.id AS round, greatest(policy.ceiling, policy.labels_per_pair + 1) AS most,
               (SELECT count(*) FROM open_to WHERE open_to.round = round.id AND NOT is_used_up) AS n_able
        FROM annotate_round round JOIN annotate_policy policy ON policy.id = round.policy_id
        WHERE round.collection_id = %(collection)s AND round.kind = 'pool' AND round.state = 'open'),
    touched AS (
        SELECT pair_id, annotator_id FROM annotate_seat
        WHERE annotator_id = ANY(%(annotators)s) AND (state <> 'held' OR leased_until >= clock_timestamp())
        UNION SELECT pair_id, annotator_id FROM annotate_judgment WHERE annotator_id = ANY(%(annotators)s)
        UNION SELECT pair_id, annotator_id FROM annotate_report
        WHERE annotator_id = ANY(%(annotators)s) AND state <> 'undone'),
    near AS (
        SELECT pair_id FROM (
            SELECT pair_id FROM touched GROUP BY pair_id HAVING count(*) > (SELECT min(n_able - most) FROM open)
            UNION SELECT pair_id FROM (
                SELECT seat.pair_id FROM open JOIN annotate_seat seat ON seat.round_id = open.round
                WHERE seat.number > open.n_able AND seat.purpose = 'label' AND seat.state IN ('free', 'held')
                LIMIT %(at_most)s) beyond) found
        LIMIT %(at_most)s),
    wanted AS (
        SELECT open.round, near.pair_id, open.n_able, count(*) AS n
        FROM near JOIN annotate_seat seat ON seat.pair_id = near.pair_id JOIN open ON open.round = seat.round_id
        WHERE seat.purpose = 'label'
          AND (seat.state = 'free' OR seat.state = 'held' AND seat.leased_until < clock_timestamp())
        GROUP BY 1, 2, 3),
    short AS (
        SELECT wanted.round, least(wanted.n, wanted.n - wanted.n_able + count(able.annotator)) AS n
        FROM wanted LEFT JOIN touched ON touched.pair_id = wanted.pair_id
        LEFT JOIN open_to able ON able.annotator = touched.annotator_id AND able.round = wanted.round
            AND NOT able.is_used_up
        GROUP BY wanted.round, wanted.pair_id, wanted.n, wanted.n_able)
    SELECT round, sum(n), count(*), (SELECT count(*) FROM near) >= %(at_most)s FROM short WHERE n > 0 GROUP BY round
"""  # noqa: S608 - own words


class Stuck(NamedTuple):
    """Labels that nobody there can give, and the pairs they are of.

    is_more : whether there may be more than were counted
    n_people : annotators who are there; n_paused : those who are paused
    """

    n_labels: int
    n_pairs: int
    is_more: bool
    n_people: int
    n_paused: int

    @property
    def sentence(self) -> str:
        """What is so."""
        labels = "1 label is" if self.n_labels == 1 else f"{self.n_labels:,}{' or more' * self.is_more} labels are"
        pairs = "1 pair" if self.n_pairs == 1 else f"{self.n_pairs:,} pairs"
        if not self.n_people:
            return f"{labels} wanted on {pairs}, and nobody is there to judge."
        who = "The one annotator who is there has" if self.n_people == 1 else f"All {self.n_people} annotators have"
        return f"{labels} wanted on {pairs} that nobody here can give. {who} had these pairs, or judged the share."

    @property
    def advice(self) -> str:
        """What to do about it."""
        paused = {0: "", 1: " Let the one who is paused go on."}.get(self.n_paused, " Let those who are paused go on.")
        return f"Invite another annotator.{paused} Or close the pool: what it has is kept."


def stuck_labels(*, collection: Collection) -> dict[int, Stuck]:
    """By open round the labels that nobody there can give; rounds without such are left out. Two queries."""
    people = Annotator.objects.filter(
        collection=collection,
        origin=Annotator.Origin.PERSON,
        user__memberships__collection=collection,
        user__memberships__role=Role.ANNOTATOR,
    ).values_list("pk", "paused_at")
    able = [pk for pk, paused_at in people if paused_at is None]
    n_paused = len(people) - len(able)
    with prepared() as cursor:
        cursor.execute(_STUCK, {"collection": collection.pk, "annotators": able, "at_most": _AT_MOST})
        return {
            round_: Stuck(int(n_labels), n_pairs, is_more, len(able), n_paused)
            for round_, n_labels, n_pairs, is_more in cursor.fetchall()
        }


def together(stuck: dict[int, Stuck]) -> Stuck | None:
    """All open rounds of a collection as one; None where nothing is stuck."""
    if not stuck:
        return None
    each = list(stuck.values())
    return each[0]._replace(
        n_labels=sum(one.n_labels for one in each),
        n_pairs=sum(one.n_pairs for one in each),
        is_more=any(one.is_more for one in each),
    )
