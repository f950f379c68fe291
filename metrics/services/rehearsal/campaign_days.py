"""The days of the demo's campaign: who takes batches, what she says, and what the lead decides."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import numpy as np
from django.db import transaction

from annotate.models import Collection, Direction, HandOut, Report, Seat
from annotate.services.collection.collections import change_pay, change_policy
from annotate.services.judging.judging import note_shown, record_judgment
from annotate.services.judging.reports import report_pair
from metrics.services.numbers.refresh import refresh
from metrics.services.rehearsal.clock import WorkingClock
from metrics.services.rehearsal.leading import SimulatedLead
from metrics.services.rehearsal.people import (
    AnswerDraws,
    SimulatedPerson,
    handed_pairs,
    new_person,
)
from metrics.services.rehearsal.profiles import (
    COMMENTS,
    NOTES_OF_ESCALATIONS,
    NOTES_OF_REPORTS,
    PROFILES,
)
from metrics.services.rehearsal.truth import load_truth
from pooling.models import Run
from pooling.services.pools.pools import create_pool, open_pool

N_LABELS = 900
POLICY = {
    "labels_per_pair": 1,
    "double_share": Decimal("0.5"),
    "ceiling": 3,
    "batch_candidates": 10,
    "gold_positives": 2,
    "gold_negatives": 2,
    "gold_action": "hold",
    "repeat_share": Decimal("0.05"),
    "repeat_after_days": 0,
}
DEPTH = 5
N_SOURCES = 32  # of each pool: captions, and later scenes
SECOND_POOL = 0.4  # of the campaign is over when the second pool is opened
LAST_SHARE = 0.97  # of the working time: the last day goes on
REFRESHES = 12
CANNOT_JUDGE, ESCALATED, COMMENTED = 0.009, 0.007, 0.04  # shares of the answers
ANSWERING = timedelta(seconds=2)  # beside the active time of an answer


class CampaignDays:
    """The simulation of one campaign in a collection that holds the study."""

    def __init__(self, *, collection: Collection, clock: WorkingClock, seed: int) -> None:
        self._collection = collection
        self._clock = clock
        self._seed = seed
        self._rng = np.random.default_rng([seed, 0])
        self._n_labels = 0
        self._n_refreshes = 0

    def simulate(self, *, n_labels: int) -> Iterator[int]:
        """Open the pools, and let people and lead work until there are so many labels.

        Yields the number of labels after each batch.
        """
        change_policy(collection=self._collection, by=None, **POLICY)
        change_pay(collection=self._collection, hourly_pay=Decimal(15), currency="EUR")
        self._open_pool("Captions, depth 5", Direction.FORWARD)
        truth = load_truth(collection=self._collection)
        self._draws = AnswerDraws(collection=self._collection, truth=truth, seed=self._seed)
        people = [
            new_person(collection=self._collection, name=profile.name, quality=profile.quality)
            for profile in PROFILES
        ]
        lead = SimulatedLead(collection=self._collection, truth=truth)
        has_second_pool = False
        while self._n_labels < n_labels:
            share = self._n_labels / n_labels
            self._clock.wait_for(share * LAST_SHARE)
            if share >= SECOND_POOL and not has_second_pool:
                self._open_pool("Scenes, depth 5", Direction.REVERSE)
                has_second_pool = True
            self._take_turn(self._next_person(people), n_labels)
            lead.work(share=share)
            yield self._n_labels
            if self._n_labels / n_labels * REFRESHES >= self._n_refreshes + 1:
                refresh(collection=self._collection)
                self._n_refreshes += 1

    def _open_pool(self, name: str, direction: Direction) -> None:
        pool = create_pool(
            collection=self._collection,
            name=name,
            strategy="depth-k-sample",
            parameters={"depth": DEPTH, "n_sources": N_SOURCES},
            runs=list(
                Run.objects.filter(collection=self._collection, direction=direction).order_by(
                    "name"
                )
            ),
            seed=self._seed,
        )
        open_pool(pool=pool)

    def _next_person(self, people: list[SimulatedPerson]) -> SimulatedPerson:
        shares = np.array([profile.share for profile in PROFILES])
        return people[int(self._rng.choice(len(people), p=shares / shares.sum()))]

    def _take_turn(self, person: SimulatedPerson, n_labels: int) -> None:
        """Let a person answer her next batch, until there are so many labels in all."""
        work = timedelta(0)
        with transaction.atomic():
            person.annotator.refresh_from_db()
            for hand_out in handed_pairs(person):
                work += self._answer(person, hand_out)
                if self._n_labels >= n_labels:
                    break
        self._clock.note(work=work)

    def _answer(self, person: SimulatedPerson, hand_out: HandOut) -> timedelta:
        """Judge a pair or report it; returns the time that it took."""
        rng = self._draws.rng_for(hand_out)
        note_shown(hand_out=hand_out.pk)
        dice = rng.random()
        if dice < CANNOT_JUDGE + ESCALATED:
            is_escalated = dice < ESCALATED
            reason = "" if is_escalated else str(rng.choice(list(NOTES_OF_REPORTS)))
            notes = NOTES_OF_ESCALATIONS if is_escalated else NOTES_OF_REPORTS[reason]
            report_pair(
                annotator=person.annotator,
                token=hand_out.token,
                submission_id=uuid4(),
                kind=Report.Kind.ESCALATED if is_escalated else Report.Kind.CANNOT_JUDGE,
                reason=reason,
                note=str(rng.choice(notes)),
            )
            return ANSWERING
        comment = str(rng.choice(COMMENTS)) if rng.random() < COMMENTED else ""
        answer = self._draws.answer(hand_out, person.quality, rng=rng, comment=comment)
        record_judgment(annotator=person.annotator, token=hand_out.token, answer=answer)
        self._n_labels += hand_out.seat.purpose == Seat.Purpose.LABEL
        return ANSWERING / 4 + timedelta(milliseconds=answer.telemetry.active_ms or 0)
