"""Nothing a browser receives tells a gold, or a second opinion, from any other card.

A whole pool is handed out to people who judge all of it; what each card tells is counted, and a
classifier is trained on the cards of some queries to find the checks of the others. To see these
tests fail: show golds last, draw golds of a mixed batch from the batch's queries, or those of a
grouped one from any.
"""

import random
from collections import Counter
from functools import partial
from typing import NamedTuple
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection

from annotate import http
from annotate.core.labels import keyed_choices
from annotate.models import Annotator, Gold, Item, Judgment, Pair, Part, Seat, Side
from annotate.services.collection.media import stored_bytes
from annotate.services.judging import cards, claiming
from tests import campaigns, cast
from tests.annotate import gold_classifier

pytestmark = pytest.mark.django_db
SEED = 20260101
PER_QUERY = 10
# Cards to hand out, people, and how far from 0.5 the guess may lie: four standard errors of few
# golds, or the goal.
SMALL, LARGE = (1_500, 12, 0.09), (20_000, 40, 0.03)


class CardFeatures(NamedTuple):
    """All cards that were handed out, a row each."""

    features: np.ndarray
    query: np.ndarray
    is_gold: np.ndarray
    is_second: np.ndarray


def study(rng, n_cards, **policy):
    """A pool of so many cards, a fifth of its pairs double; each query has both kinds of golds."""
    collection = cast.collection(double_share="0.2", labels_per_pair=1, ceiling=2, **policy)
    collection.key = rng.randbytes(32)
    collection.save()
    n_queries = max(12, round(n_cards * 0.9 / 1.2 / PER_QUERY))
    queries = items(rng, collection, Side.QUERY, n_queries)
    documents = items(rng, collection, Side.DOCUMENT, max(200, n_queries * 2))
    pairs = Pair.objects.bulk_create(
        Pair(collection=collection, query=query, document=document)
        for query in queries
        for document in rng.sample(documents, PER_QUERY + 4)
    )
    by_query = [pairs[at : at + PER_QUERY + 4] for at in range(0, len(pairs), PER_QUERY + 4)]
    campaigns.open_pool_round(
        collection,
        [pair for own in by_query for pair in own[4 : 4 + rng.randint(5, 2 * PER_QUERY)]],
    )
    Gold.objects.bulk_create(
        Gold(collection=collection, pair=pair, grade=kind, is_positive=kind > 0, origin="curated")
        for own in by_query
        for pair, kind in zip(own[: rng.randint(0, 4)], (0, 1, 0, 1), strict=False)
    )
    analyze()
    return collection


def analyze():
    """Tell the planner how large the tables are: nothing else does within a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "ANALYZE annotate_seat, annotate_pair, annotate_gold, annotate_judgment, "
            "annotate_handout"
        )


def items(rng, collection, side, n):
    """Items with texts of any length, some with a picture, a few with a warning."""
    items_made = Item.objects.bulk_create(
        Item(
            collection=collection,
            side=side,
            external_id=f"{side}-{rng.getrandbits(40):x}-{number}",
            warning="blood" if rng.random() < 0.05 else "",
        )
        for number in range(n)
    )
    parts = []
    for item in items_made:
        parts.append(Part(item=item, position=0, kind="text", text="x" * rng.randint(5, 300)))
        if rng.random() < 0.3:
            parts.append(
                Part(item=item, position=1, kind="image", path=f"{rng.getrandbits(32):x}.jpg")
            )
    rng.shuffle(parts)
    Part.objects.bulk_create(parts)
    return items_made


def hand_out_all(collection, n_people):
    """Let people judge in turn until nothing is left; what their browsers received."""
    level = collection.levels.get(grade=1)
    people = {cast.annotator(collection).pk for _ in range(n_people)}
    met: dict[int, Counter[str]] = {person: Counter() for person in people}
    rows: list[tuple] = []
    size_of = partial(stored_bytes, collection)
    while people:
        for person in (
            Annotator.objects.select_related("collection").filter(pk__in=people).order_by("pk")
        ):
            if (batch := claiming.current_batch(annotator=person)) is None:
                people.discard(person.pk)
                continue
            if batch.number in (2, 8) and batch.pk % 7 == 0:
                analyze()
            hand_outs = list(
                claiming.open_hand_outs(annotator=person).select_related("batch", "seat__pair")
            )
            n = len(hand_outs)
            dealt = cards.cards_of(hand_outs=[handed.pk for handed in hand_outs])
            shown_cards = [
                http.card_json(
                    card, slug=collection.slug, n_in_batch=n, size_of=size_of, ask_reasons=True
                )
                for card in dealt
            ]
            features = gold_classifier.batch_features(
                shown_cards, number=batch.number, n_seen=met[person.pk]
            )
            for feature, hand_out in zip(features, hand_outs, strict=True):
                seat = hand_out.seat
                is_second = seat.purpose == "label" and seat.number > 1
                rows.append((feature, seat.pair.query_id, seat.purpose == "gold", is_second))
            answer_all(person, hand_outs, level)
    return CardFeatures(*(np.array(column) for column in zip(*rows, strict=True)))


def answer_all(person, hand_outs, level):
    """Give all of a batch the same answer, in bulk: guesses depend on the hand-outs alone."""
    judgments = Judgment.objects.bulk_create(
        Judgment(
            collection_id=level.collection_id,
            pair_id=hand_out.seat.pair_id,
            annotator=person,
            hand_out=hand_out,
            purpose=hand_out.seat.purpose,
            level=level,
            submission_id=uuid4(),
        )
        for hand_out in hand_outs
    )
    for hand_out, judgment in zip(hand_outs, judgments, strict=True):
        hand_out.seat.state, hand_out.seat.leased_until, hand_out.seat.judgment = (
            Seat.State.DONE,
            None,
            judgment,
        )
    Seat.objects.bulk_update(
        [hand_out.seat for hand_out in hand_outs], ["state", "leased_until", "judgment"]
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotate_handout SET answered_at = now() WHERE batch_id = %s",
            [hand_outs[0].batch_id],
        )


def guesses(size, **policy):
    """Return how well golds, and second opinions among candidates, are guessed (AUC)."""
    n_cards, n_people, _ = size
    features_seen = hand_out_all(study(random.Random(SEED), n_cards, **policy), n_people)
    assert len(features_seen.query) >= 0.8 * n_cards
    assert 0.05 < features_seen.is_gold.mean() < 0.15
    candidates = CardFeatures(*(column[~features_seen.is_gold] for column in features_seen))
    return (
        gold_classifier.cross_validated_auc(
            features_seen.features, features_seen.is_gold, features_seen.query
        ),
        gold_classifier.cross_validated_auc(
            candidates.features, candidates.is_second, candidates.query
        ),
    )


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("size", [SMALL, pytest.param(LARGE, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("grouped", [True, pytest.param(False, marks=pytest.mark.full)])
def test_no_classifier_tells_golds_or_second_opinions_from_other_cards(size, grouped):
    golds, seconds = guesses(size, grouped=grouped)
    print(
        f"\n{size[0]:,} cards, {'grouped' if grouped else 'mixed'}: golds AUC {golds:.3f}, seconds "
        f"AUC {seconds:.3f}"
    )
    assert abs(golds - 0.5) <= size[2]
    assert abs(seconds - 0.5) <= size[2]


@pytest.mark.full
def test_golds_shown_last_are_found(monkeypatch):
    monkeypatch.setattr(
        keyed_choices, "arrange_batch", lambda queries, **_: list(range(len(queries)))
    )
    golds, _ = guesses(SMALL, grouped=False)
    assert golds > 0.9
