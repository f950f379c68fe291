"""What a pool favours: equal to the plain definitions on the same labels, kept until something changes, undefined where
it is."""

from datetime import timedelta

import numpy as np
import pytest
from django.core.cache import cache

from annotate.models import Direction, Item, Pair, Resolution, Role
from metrics.core import bias, measures
from metrics.core.alignment import Labels, align
from metrics.models import Snapshot
from metrics.services import favour
from metrics.services.favour_page import page_of
from metrics.services.pool_study import brought, gather
from pooling.core.rankings import Rankings
from pooling.models import Ranking
from pooling.services import retiring
from tests import cast
from tests.copies import copied
from tests.metrics import studies
from tests.pooling import making

pytestmark = pytest.mark.django_db
N_QUERIES, DEPTH = 5, 3


@pytest.fixture
def pool(media_root):
    return judged_pool()


@copied
def judged_pool():
    """Three runs over 5 queries, the first 3 of each pooled and judged by one person."""
    rng = np.random.default_rng(7)
    collection = making.collection(N_QUERIES, 30, batch_candidates=500)
    runs = [
        making.run(collection, name, {q: rng.permutation(30)[:12].tolist() for q in range(N_QUERIES)}) for name in "ABC"
    ]
    opened = making.opened(collection, runs, depth=DEPTH)
    studies.judge(cast.annotator(collection), seed=1, likes=0.4)
    assert Resolution.objects.filter(collection=collection).count() > 30
    return opened


def plainly(pool):
    """The runs and people's labels as bias.py takes them."""
    queries = list(Item.objects.filter(collection=pool.collection, side="query").order_by("pk"))
    place = {item.pk: number for number, item in enumerate(queries)}
    runs = []
    for run in pool.runs.order_by("name"):
        rows = {row.source_id: row.targets for row in Ranking.objects.filter(run=run)}
        docs = [rows[item.pk] for item in queries]
        runs.append(Rankings(np.append(0, np.cumsum([len(each) for each in docs])), np.concatenate(docs)))
    said = Resolution.objects.filter(collection=pool.collection, grade__isnull=False)
    rows = said.values_list("pair__query", "pair__document", "grade")
    labels = Labels(*np.array([(place[q], d, grade) for q, d, grade in rows]).T)
    return runs, labels


def value_of(pool):
    favour.study_pool(pool=pool)
    return favour.snapshot_of(pool=pool).value


def test_leave_one_out_and_the_biases_equal_their_plain_definitions(pool):
    (side,) = value_of(pool)["directions"]
    runs, labels = plainly(pool)
    for measure in favour.MEASURES:
        told = bias.leave_one_out(runs, labels, measure, depth=DEPTH)
        for row, plain in zip(side["runs"], told, strict=True):
            assert (row["n_unique"], row["n_unique_positive"]) == (plain.n_unique, plain.n_unique_positive)
            scores = row["scores"][measure.name]
            assert (scores["score"], scores["without"]) == pytest.approx((plain.score, plain.without), abs=1e-12)
            assert (scores["rank"], scores["rank_without"]) == (plain.rank, plain.rank_without)
        for row, plain in zip(
            side["bias"][measure.name], bias.subset_bias(runs, labels, measure, depth=DEPTH), strict=True
        ):
            assert (row["size"], row["bias"], row["self"]) == pytest.approx(tuple(plain[:3]), abs=1e-12)
            assert (row["non_self"] is None) == np.isnan(plain.non_self_bias)


def test_a_run_brings_what_it_showed_and_all_of_it_is_judged(pool):
    (side,) = value_of(pool)["directions"]
    assert [(row["n_brought"], row["n_judged"]) for row in side["runs"]] == [(15, 15)] * 3
    assert side["n_labelled"] == Pair.objects.filter(collection=pool.collection).count()
    assert {tuple(curve["points"][-1]) for curve in side["curves"]} == {(side["n_labelled"], side["n_positive"])}


def test_what_a_reference_knew_is_no_loss(pool):
    pairs = Pair.objects.filter(collection=pool.collection, resolution__grade=1)
    studies.reference(pool.collection, {(pair.query.external_id, pair.document.external_id): 1 for pair in pairs})
    (side,) = value_of(pool)["directions"]
    positive_only = measures.parse_one("AP").name
    for row in side["runs"]:
        scores = row["scores"][positive_only]
        assert scores["without"] == pytest.approx(scores["score"], abs=1e-12)


def test_the_same_labels_are_not_gone_through_again_and_give_the_same_numbers(pool):
    assert favour.study_pool(pool=pool)
    first = favour.snapshot_of(pool=pool)
    assert not favour.study_pool(pool=pool)
    again = favour.snapshot_of(pool=pool)
    assert (again.pk, again.value) == (first.pk, first.value) and again.computed_at >= first.computed_at
    Snapshot.objects.all().delete()
    assert favour.study_pool(pool=pool)
    assert favour.snapshot_of(pool=pool).value == first.value
    retiring.retire_run(run=pool.runs.first(), by=None)
    assert favour.study_pool(pool=pool)
    assert len(favour.snapshot_of(pool=pool).value["directions"][0]["runs"]) == 2


def test_other_rankings_give_other_numbers_and_unknown_rows_are_shown_and_unjudged(pool):
    favour.study_pool(pool=pool)
    row = Ranking.objects.filter(run__pools=pool).order_by("pk").first()
    brought = {told["run"]: told["n_brought"] for told in value_of(pool)["directions"][0]["runs"]}
    Ranking.objects.filter(pk=row.pk).update(targets=[-7, *row.targets[1:]])
    assert favour.study_pool(pool=pool)
    told = {told["run"]: told for told in value_of(pool)["directions"][0]["runs"]}[row.run_id]
    assert told["n_brought"] == brought[row.run_id]
    assert told["n_judged"] == told["n_brought"] - 1


def test_stop_advice_is_undefined_with_few_labels_and_says_what_the_last_labels_changed(pool, monkeypatch):
    favour.study_pool(pool=pool)
    (part,) = page_of(pool=pool, snapshot=favour.snapshot_of(pool=pool), measure=None).parts
    assert (part.advice.state, part.advice.steps) == ("undefined", [])
    assert len(part.advice.neighbours) == 2
    Snapshot.objects.all().delete()
    monkeypatch.setattr(favour, "STEPS", (1, 20))
    favour.study_pool(pool=pool)
    (part,) = page_of(pool=pool, snapshot=favour.snapshot_of(pool=pool), measure="AP").parts
    assert [(step.n, step.n_pairs) for step in part.advice.steps] == [(1, 1), (20, 20)]


def test_looking_back_takes_away_the_pairs_that_the_last_labels_judged_first(pool, monkeypatch):
    monkeypatch.setattr(favour, "STEPS", (1, 20))
    study = gather(pool=pool)
    (side,) = study.sides
    masks = favour._masks(study, side, brought(side), np.random.default_rng(0))
    scored = favour._scored(side, masks, 1, lambda n: None)
    runs, labels = plainly(pool)
    last = np.stack([study.given.query, study.given.document], axis=1)[-20:].tolist()
    old = np.array([[side.sources[q], d] not in last for q, d in zip(labels.query, labels.doc, strict=True)])
    older = Labels(*(column[old] for column in labels))
    for s, run in enumerate(runs):
        found = measures.evaluate(favour.MEASURES, align(run, older), 1)
        assert scored.older[:, 1, s] == pytest.approx([found[m.name].mean() for m in favour.MEASURES], abs=1e-12)


def test_whoever_looks_has_it_computed_once_in_a_while(pool, monkeypatch):
    monkeypatch.setattr(favour, "AGE", timedelta(days=1))
    assert favour.should_ask(pool=pool, last=None)
    assert not favour.should_ask(pool=pool, last=None)
    cache.clear()
    favour.study_pool(pool=pool)
    assert not favour.should_ask(pool=pool, last=favour.snapshot_of(pool=pool))


def test_the_page_waits_then_shows_every_run_measure_and_state(client, pool, django_assert_max_num_queries):
    collection = pool.collection
    client.force_login(cast.member(collection, Role.LEAD))
    address = f"/c/{collection.slug}/pools/{pool.pk}/favours/"
    assert "Going through the labels" in client.get(address).content.decode()
    favour.study_pool(pool=pool)
    assert client.get(f"{address}state/")["HX-Redirect"] == address
    with django_assert_max_num_queries(12):
        page = client.get(address, {"measure": "AP"}).content.decode()
    assert all(text in page for text in ("Judged@3", "Not defined yet", "Move to front", "Runs pooled", "A above"[:2]))
    assert client.get(address, {"measure": "nonsense"}).status_code == 200


def test_both_directions_stand_apart(pool):
    rng = np.random.default_rng(1)
    back = making.run(
        pool.collection, "back", {d: rng.permutation(N_QUERIES)[:5].tolist() for d in range(30)}, "reverse"
    )
    both = making.opened(pool.collection, [*pool.runs.all(), back], name="both", depth=2)
    value = value_of(both)
    assert [side["direction"] for side in value["directions"]] == [Direction.FORWARD, Direction.REVERSE]
    assert [side["n_queries"] for side in value["directions"]] == [N_QUERIES, 30]
    assert value["directions"][1]["bias"]["AP"][0]["non_self"] is None
