"""Simulated people: annotators of a collection who answer pairs whose truth is known."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple
from uuid import uuid4

import numpy as np

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.core.levels import level_reasons
from annotate.models import Annotator, Collection, HandOut
from annotate.services.judging.claiming import current_batch, open_hand_outs
from metrics.core.labels.simulation import SimulatedAnnotator, judging_seconds, label
from metrics.services.rehearsal.truth import TrueGrades


class SimulatedPerson(NamedTuple):
    """An annotator of a collection and the quality of her work."""

    annotator: Annotator
    quality: SimulatedAnnotator


def new_person(
    *, collection: Collection, name: str, quality: SimulatedAnnotator
) -> SimulatedPerson:
    """Let a simulated person join a collection under a name."""
    annotator = Annotator.objects.create(
        collection=collection, origin=Annotator.Origin.SIMULATED, pseudonym=name
    )
    return SimulatedPerson(annotator, quality)


def handed_pairs(person: SimulatedPerson) -> Iterator[HandOut]:
    """The pairs of the person's next batch, in the order in which she is shown them; or nothing."""
    if current_batch(annotator=person.annotator) is None:
        return
    hand_outs = open_hand_outs(annotator=person.annotator)
    yield from hand_outs.select_related("seat__pair__query", "seat__pair__document")


class AnswerDraws:
    """Draws of answers: the same for the same seed, whoever is handed a pair and in which batch."""

    def __init__(self, *, collection: Collection, truth: TrueGrades, seed: int) -> None:
        self._collection = collection
        self._truth = truth
        self._seed = seed
        self._reasons = {
            grade: level_reasons.codes(rows)
            for grade, rows in collection.levels.values_list("grade", "reasons")
        }
        self._n_draws: Counter[str] = Counter()

    def rng_for(self, hand_out: HandOut) -> np.random.Generator:
        """The draws of the next answer to a pair: by the pair and how often it was answered."""
        pair = hand_out.seat.pair
        key = "/".join((hand_out.seat.purpose, pair.query.external_id, pair.document.external_id))
        rng = np.random.default_rng([self._seed, self._n_draws[key], *map(ord, key)])
        self._n_draws[key] += 1
        return rng

    def true_grade(self, hand_out: HandOut) -> int:
        """The true grade of a pair."""
        pair = hand_out.seat.pair
        return self._truth.get((pair.query_id, pair.document_id), 0)

    def answer(
        self,
        hand_out: HandOut,
        quality: SimulatedAnnotator,
        *,
        rng: np.random.Generator,
        comment: str = "",
    ) -> JudgmentAnswer:
        """An answer of this quality to a pair, with the time that it took and perhaps a reason."""
        grade = label(
            self.true_grade(hand_out),
            annotator=quality,
            levels=list(self._reasons),
            positive_from=self._collection.positive_from,
            rng=rng,
        )
        milliseconds = int(1000 * judging_seconds(quality, rng=rng))
        codes = self._reasons[grade]
        return JudgmentAnswer(
            uuid4(),
            grade,
            reasons=[str(rng.choice(codes))] if codes else [],
            comment=comment,
            telemetry=Telemetry(active_ms=milliseconds),
        )
