"""Concurrent claims: a million over all connections, disagreements at once, vanished people.

Run one of them: python3 manage.py test --heavy --share 0.05 -s tests/scorecard/test_claims.py -k
vanished
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock
from uuid import uuid4

import pytest
from django.db.models import Count

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import Annotator, Collection, HandOut, Seat
from annotate.services.judging import claiming, judging
from config.up.processes import wait_until
from tests import campaigns, cast
from tests.servers.databases import closing_connections, run_concurrently

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(4 * 3600),
]
BATCH = 20


def newcomers(collection: Collection, n: int) -> list[Annotator]:
    """Create n annotators without accounts who have not begun."""
    return Annotator.objects.bulk_create(
        Annotator(collection=collection, origin="simulated", pseudonym=f"N{number}")
        for number in range(n)
    )


def share_out(
    work: Callable[[Annotator], object], people: list[Annotator], n_connections: int
) -> None:
    """Run `work` for each person, over n_connections at once."""
    waiting, turn = iter(people), Lock()

    def next_person() -> Annotator | None:
        with turn:
            return next(waiting, None)

    @closing_connections
    def take_turns() -> None:
        while (person := next_person()) is not None:
            work(person)

    with ThreadPoolExecutor(n_connections) as pool:
        for future in [pool.submit(take_turns) for _ in range(n_connections)]:
            future.result()


def test_no_seat_is_handed_out_twice_and_nobody_gets_a_pair_twice(figures):
    n_claims, n_connections = figures.size("claims"), figures.size("connections")
    # every pair needs two labels; the last seats are of pairs that the same people already have
    collection = campaigns.open_collection(
        n_claims * 11 // 20 + BATCH, labels_per_pair=2, batch_candidates=BATCH
    )
    people = newcomers(collection, -(-n_claims // BATCH))
    start = time.perf_counter()
    share_out(lambda person: claiming.current_batch(annotator=person), people, n_connections)
    seconds = time.perf_counter() - start
    hand_outs = HandOut.objects.filter(batch__collection=collection)
    n = hand_outs.count()
    figures.record("claims", n, at_least=n_claims)
    figures.record("claims a second", n / seconds)
    figures.record(
        "seats handed out twice", n - hand_outs.values("seat").distinct().count(), at_most=0
    )
    n_distinct_pairs = hand_outs.values("batch__annotator", "seat__pair").distinct().count()
    figures.record("pairs that somebody was handed twice", n - n_distinct_pairs, at_most=0)
    n_held = Seat.objects.filter(collection=collection, state="held").count()
    figures.record("claims that nobody holds", abs(n - n_held), at_most=0)


def test_every_disagreement_of_one_moment_asks_for_one_label_more(figures):
    n_pairs = figures.size("disagreements")
    collection = campaigns.open_collection(
        n_pairs, labels_per_pair=2, ceiling=3, batch_candidates=n_pairs
    )
    people = [cast.annotator(collection), cast.annotator(collection)]
    tokens = []
    for person in people:
        claiming.current_batch(annotator=person)
        hand_outs = HandOut.objects.filter(batch__annotator=person).order_by("seat__pair")
        tokens.append(list(hand_outs.values_list("token", flat=True)))
    assert [len(tokens_of_person) for tokens_of_person in tokens] == [n_pairs, n_pairs]
    together = Barrier(2)

    def judge(grade: int) -> None:
        for token in tokens[grade]:
            together.wait(600)
            answer = JudgmentAnswer(submission_id=uuid4(), grade=grade)
            judging.record_judgment(annotator=people[grade], token=token, answer=answer)

    run_concurrently(judge, [0, 1])
    thirds = Seat.objects.filter(collection=collection, state="free", why=Seat.Why.DISAGREEMENT)
    n_third_seats, n_pairs_with_third = thirds.count(), thirds.values("pair").distinct().count()
    figures.record("disagreements without a third label", n_pairs - n_pairs_with_third, at_most=0)
    figures.record("third labels too many", n_third_seats - n_pairs_with_third, at_most=0)
    seats = Seat.objects.filter(collection=collection).values("pair").annotate(n=Count("pk"))
    figures.record(
        "pairs with another number of seats than three", seats.exclude(n=3).count(), at_most=0
    )


def seats_of_batch(person: Annotator) -> list[int]:
    """The seats of the batch that a person gets; none without a batch."""
    batch = claiming.current_batch(annotator=person)
    return list(batch.hand_outs.values_list("seat", flat=True)) if batch else []


def test_what_vanished_people_hold_is_handed_out_again(figures):
    n_people = figures.size("people")
    collection = campaigns.open_collection(
        n_people * BATCH, batch_candidates=BATCH, lease_minutes=1
    )
    people = newcomers(collection, 3 * n_people)
    vanished = {seat for person in people[:n_people] for seat in seats_of_batch(person)}
    start, other_people, reassigned = time.monotonic(), people[n_people:], set()
    assert len(vanished) == n_people * BATCH

    def are_out_again() -> bool:
        while other_people and (seats := seats_of_batch(other_people[-1])):
            reassigned.update(seats)
            other_people.pop()  # she has a batch; a person without one tries again
        return len(reassigned) == len(vanished)

    are_all = wait_until(are_out_again, seconds=300, step=0.5)
    figures.record(
        "seconds from the end of the lease until all are out again",
        time.monotonic() - start - 60,
        at_most=60,
    )
    figures.record("seats of vanished people", len(vanished))
    figures.record("seats that were not handed out again", len(vanished - reassigned), at_most=0)
    assert are_all
