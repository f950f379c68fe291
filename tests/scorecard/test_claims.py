"""Seats under many hands: a million claims over every connection, disagreements of one moment, people who vanish.

Run one of them: python3 manage.py test --heavy --share 0.05 -s tests/scorecard/test_claims.py -k vanished
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock
from uuid import uuid4

import pytest
from django.db.models import Count

from annotate.models import Annotator, Collection, HandOut, Seat
from annotate.services import claiming, judging
from config.up.processes import wait_until
from tests import campaigns, cast
from tests.databases import at_once, for_a_thread

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(4 * 3600)]
BATCH = 20


def newcomers(collection: Collection, n: int) -> list[Annotator]:
    """People who may judge and have not begun; too many for accounts of their own."""
    return Annotator.objects.bulk_create(
        Annotator(collection=collection, origin="simulated", pseudonym=f"N{number}") for number in range(n)
    )


def taking_turns(work: Callable[[Annotator], object], people: list[Annotator], n_connections: int) -> None:
    """Let so many connections at once each take the next person, until nobody is left."""
    waiting, turn = iter(people), Lock()

    def next_person() -> Annotator | None:
        with turn:
            return next(waiting, None)

    @for_a_thread
    def take_turns() -> None:
        while (person := next_person()) is not None:
            work(person)

    with ThreadPoolExecutor(n_connections) as pool:
        for done in [pool.submit(take_turns) for _ in range(n_connections)]:
            done.result()


def test_no_seat_is_handed_out_twice_and_nobody_gets_a_pair_twice(figures):
    n_claims, n_connections = figures.size("claims"), figures.size("connections")
    # every pair is wanted twice; what is left at the end is wanted of people who have it already
    collection = campaigns.open_collection(n_claims * 11 // 20 + BATCH, labels_per_pair=2, batch_candidates=BATCH)
    people = newcomers(collection, -(-n_claims // BATCH))
    begun = time.perf_counter()
    taking_turns(lambda person: claiming.current_batch(annotator=person), people, n_connections)
    seconds = time.perf_counter() - begun
    given = HandOut.objects.filter(batch__collection=collection)
    n = given.count()
    figures.tell("claims", n, at_least=n_claims)
    figures.tell("claims a second", n / seconds)
    figures.tell("seats handed out twice", n - given.values("seat").distinct().count(), at_most=0)
    of_pairs = given.values("batch__annotator", "seat__pair").distinct().count()
    figures.tell("pairs that somebody was handed twice", n - of_pairs, at_most=0)
    held = Seat.objects.filter(collection=collection, state="held").count()
    figures.tell("claims that nobody holds", abs(n - held), at_most=0)


def test_every_disagreement_of_one_moment_asks_for_one_label_more(figures):
    n_pairs = figures.size("disagreements")
    collection = campaigns.open_collection(n_pairs, labels_per_pair=2, ceiling=3, batch_candidates=n_pairs)
    people = [cast.annotator(collection), cast.annotator(collection)]
    tokens = []
    for person in people:
        claiming.current_batch(annotator=person)
        given = HandOut.objects.filter(batch__annotator=person).order_by("seat__pair")
        tokens.append(list(given.values_list("token", flat=True)))
    assert [len(given) for given in tokens] == [n_pairs, n_pairs]
    together = Barrier(2)

    def judge(grade: int) -> None:
        for token in tokens[grade]:
            together.wait(600)
            answer = judging.Answer(submission_id=uuid4(), grade=grade)
            judging.record_judgment(annotator=people[grade], token=token, answer=answer)

    at_once(judge, [0, 1])
    thirds = Seat.objects.filter(collection=collection, state="free", why=Seat.Why.DISAGREEMENT)
    n_asked, n_pairs_asked = thirds.count(), thirds.values("pair").distinct().count()
    figures.tell("disagreements without a third label", n_pairs - n_pairs_asked, at_most=0)
    figures.tell("third labels too many", n_asked - n_pairs_asked, at_most=0)
    seats = Seat.objects.filter(collection=collection).values("pair").annotate(n=Count("pk"))
    figures.tell("pairs with another number of seats than three", seats.exclude(n=3).count(), at_most=0)


def seats_of_batch(person: Annotator) -> list[int]:
    """The seats that somebody gets who asks for a batch."""
    batch = claiming.current_batch(annotator=person)
    return list(batch.hand_outs.values_list("seat", flat=True)) if batch else []


def test_what_vanished_people_hold_is_handed_out_again(figures):
    n_people = figures.size("people")
    collection = campaigns.open_collection(n_people * BATCH, batch_candidates=BATCH, lease_minutes=1)
    people = newcomers(collection, 3 * n_people)
    vanished = {seat for person in people[:n_people] for seat in seats_of_batch(person)}
    begun, others, again = time.monotonic(), people[n_people:], set()
    assert len(vanished) == n_people * BATCH

    def are_out_again() -> bool:
        while others and (seats := seats_of_batch(others[-1])):
            again.update(seats)
            others.pop()  # she has hers; who gets nothing comes again
        return len(again) == len(vanished)

    are_all = wait_until(are_out_again, seconds=300, step=0.5)
    figures.tell("seconds from the end of the lease until all are out again", time.monotonic() - begun - 60, at_most=60)
    figures.tell("seats of vanished people", len(vanished))
    figures.tell("seats that were not handed out again", len(vanished - again), at_most=0)
    assert are_all
