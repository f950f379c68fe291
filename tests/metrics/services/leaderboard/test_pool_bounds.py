"""Bounds that hold while labelling goes on: all unjudged pairs of the pools count."""

from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import Collection, Item, Pair, ReferenceLabel, Role, Round, RoundPair
from annotate.services import seating
from annotate.services.background import kept
from annotate.services.collection.query_sets import complete_query_sets
from annotate.services.judging import claiming, judging
from annotate.services.review import exclusions
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from pooling.models import Run
from tests import campaigns, cast
from tests.metrics.services.leaderboard import boards

pytestmark = pytest.mark.django_db
MEASURES = "AP nDCG@10 R@2 Rprec C@1"


@pytest.fixture
def study():
    """A returned d0, d1 and d2 for q0, B also d3; d3's own run returned q1 alone.

    The pool holds all of these pairs.
    """
    of = cast.collection(
        grades=2, n_queries=2, n_documents=6, labels_per_pair=1, gold_positives=0, gold_negatives=0
    )
    complete_query_sets(collection=of)
    ranked = {"A": (["q0"], ["d0", "d1", "d2"]), "B": (["q0"], ["d3", "d0"]), "C": (["d3"], ["q1"])}
    for name, (sources, targets) in ranked.items():
        scores = np.arange(len(targets), 0, -1).astype(float).tolist()
        keys = {
            key(of, source): ([key(of, target) for target in targets], scores) for source in sources
        }
        cast.run(of, name, keys, direction="reverse" if name == "C" else "forward")
    pairs = [("q0", "d0"), ("q0", "d1"), ("q0", "d2"), ("q0", "d3"), ("q1", "d3")]
    campaigns.open_pool_round(
        of,
        [
            Pair.objects.create(collection=of, query_id=key(of, q), document_id=key(of, d))
            for q, d in pairs
        ],
    )
    cast.reference(of, {})
    refresh.refresh(collection=of)
    return of


def key(of: Collection, name: str) -> int:
    return Item.objects.get(collection=of, external_id=name).pk


def say(of: Collection, source: str, labels: dict[tuple[str, str], int]) -> None:
    """Labels of the source: by a person who judges these pairs, or of the reference set."""
    if source.startswith("none"):
        reference_set = of.reference_sets.get()
        for (q, d), grade in labels.items():
            ReferenceLabel.objects.create(
                reference_set=reference_set,
                query_id=key(of, q),
                document_id=key(of, d),
                grade=grade,
            )
        seating.note_changes(collection_id=of.pk, pair_ids=[None])
    else:
        person = of.annotators.first() or cast.annotator(of)
        claiming.current_batch(annotator=person)
        for hand_out in list(claiming.open_hand_outs(annotator=person)):
            pair = hand_out.seat.pair
            grade = labels.get((pair.query.external_id, pair.document.external_id))
            if grade is not None:
                answer = JudgmentAnswer(submission_id=uuid4(), grade=grade)
                judging.record_judgment(annotator=person, token=hand_out.token, answer=answer)
    refresh.refresh(collection=of)


def cells(of: Collection, run: str, source: str) -> dict[str, tuple[float, float, float]]:
    """Least, score and most of each measure of a run on its page, times the number of queries."""
    choices = read_choices(
        collection=of, viewer=None, parameters={"measures": MEASURES, "labels": source}
    )
    assert choices.errors == []
    boards.compute(collection=of, spec=choices.spec)
    value = boards.find(collection=of, spec=choices.spec).value
    own_run = Run.objects.get(name=run)
    (table,) = [direction for direction in value["directions"] if own_run.pk in direction["runs"]]
    at, n = table["runs"].index(own_run.pk), table["n_queries"]
    cells_by_measure = {
        direction["name"]: direction["cells"][at] for direction in table["measures"]
    }
    return {
        name: tuple(n * cell[end] for end in ("least", "whole", "most"))
        for name, cell in cells_by_measure.items()
    }


@pytest.mark.parametrize("source", ["over:original", "only", "none:original"])
def test_what_another_run_alone_returned_may_turn_out_positive_and_no_score_leaves_its_bounds(
    study, source
):
    say(study, source, {("q0", "d0"): 1, ("q0", "d1"): 0, ("q0", "d2"): 0, ("q1", "d3"): 1})
    before = {run: cells(study, run, source) for run in "AC"}
    for run in "AC":  # all that it returned is judged
        assert {name: cell[1:] for name, cell in before[run].items()} == dict.fromkeys(
            MEASURES.split(), (1, 1)
        )
        assert before[run]["AP"] == before[run]["R@2"] == before[run]["Rprec"] == (1 / 2, 1, 1)
        assert before[run]["nDCG@10"][0] == pytest.approx(1 / (1 + 1 / np.log2(3)))
        assert before[run]["C@1"] == (1, 1, 1)
    say(study, source, {("q0", "d3"): 1})
    for run in "AC":
        after = cells(study, run, source)
        for name in MEASURES.split():
            low, value, high = before[run][name][0], after[name][1], before[run][name][2]
            assert low - 1e-12 <= value <= high, name
            assert after[name] == pytest.approx((value,) * 3), "nothing is open any more"
        assert after["AP"][1] == 1 / 2


def least_of(study: Collection, source: str = "over:original") -> float:
    return cells(study, "A", source)["AP"][0]


def test_what_a_closed_pool_did_not_get_judged_counts_and_what_a_pool_left_out_does_not(study):
    say(study, "over:original", {("q0", "d0"): 1, ("q0", "d1"): 0, ("q0", "d2"): 0})
    left = Pair.objects.get(query=key(study, "q0"), document=key(study, "d3"))
    seating.close_round(round_=Round.objects.get())
    refresh.rebuild(collection=study)
    assert least_of(study) == 1 / 2
    exclusions.exclude_pair(pair=left, by=cast.member(study, Role.LEAD), reason="it cannot be seen")
    refresh.rebuild(collection=study)
    kept.delete_all(collection=study)
    assert least_of(study) == 1


def test_a_pair_of_two_pools_is_one_and_imported_judgments_make_a_pool_but_training_does_not(study):
    say(study, "over:original", {("q0", "d0"): 1, ("q0", "d1"): 0, ("q0", "d2"): 0})
    left = Pair.objects.get(query=key(study, "q0"), document=key(study, "d3"))
    campaigns.open_pool_round(study, [left], name="another")
    for kind, document in (("import", "d4"), ("training", "d5")):
        pair = Pair.objects.create(
            collection=study, query=left.query, document_id=key(study, document)
        )
        own = Round.objects.create(
            collection=study,
            kind=kind,
            name=kind,
            policy=cast.policy(study),
            state="closed",
            closed_at=timezone.now(),
        )
        RoundPair.objects.create(round=own, pair=pair, n_wanted=1)
    kept.delete_all(collection=study)
    assert least_of(study) == pytest.approx(1 / 3)


def test_what_is_open_is_read_once_however_many_runs_there_are(study):
    choices = read_choices(
        collection=study, viewer=None, parameters={"measures": MEASURES, "labels": "over:original"}
    )
    query_set, counts = study.query_sets.get(direction="forward", name="all"), []
    inputs = choice_values.direction_inputs(
        collection=study, spec=choices.spec, query_set=query_set
    )
    unjudged = [
        (key(study, q), key(study, f"d{d}")) for q, d in [*(("q0", d) for d in range(4)), ("q1", 3)]
    ]
    assert (
        list(zip(*(column.tolist() for column in inputs.labels.unjudged[:2]), strict=True))
        == unjudged
    )
    for runs in ("A", "AB"):
        few = list(Run.objects.filter(name__in=runs))
        with CaptureQueriesContext(connection) as caught:
            for run in few:
                choice_values.measure_run(inputs=inputs, run=run)
        counts.append(len(caught))
    assert counts == [1, 2]  # its rankings
