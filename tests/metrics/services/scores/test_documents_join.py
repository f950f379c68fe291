"""Documents that join after judging has begun: scores and their day, prices and pools."""

import io
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.core.files.archives.sources import FileSource
from annotate.models import Item, QuerySet, QuerySetItem, RoundPair
from annotate.services.collection import query_sets
from annotate.services.imports import items as item_import
from metrics.models import Score
from metrics.services.leaderboard import computation
from metrics.services.numbers import refresh
from metrics.services.scores import labels
from pooling.services.pools import previews
from tests import cast
from tests.metrics import studies
from tests.pooling import factories
from tests.pooling.services.runs.test_unknown_rows import run_of, used
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def judged():
    """A collection with a run of known and unknown documents in a judged pool, and its scores."""
    collection = factories.collection(n_documents=5)
    query_sets.complete_query_sets(collection=collection)
    Item.objects.update(joined_at=timezone.now() - timedelta(days=30))
    (run,) = used(run_of(collection, {"q0": "d0 new1 d1", "q1": "d2 d3", "q2": "new2", "q3": "d4"}))
    pool = factories.opened(collection, [run], depth=3)
    studies.judge(cast.annotator(collection), n=4)
    factories.reference(collection, [(0, 0), (1, 3)])
    refresh.refresh(collection=collection)
    collection.refresh_from_db()
    assert collection.scheme_frozen_at
    return collection, run, pool


def join(collection, *names):
    lines = "".join(f'{{"side": "document", "id": "{name}", "text": "x"}}\n' for name in names)
    source = FileSource(io.BytesIO(lines.encode()), "items.jsonl")
    return item_import.load_collection(collection=collection, source=source)


def galleries(collection):
    return set(
        Score.objects.filter(run__collection=collection).values_list("n_gallery", "gallery_at")
    )


def means(collection):
    return dict(Score.objects.filter(measure="AP").values_list("label_source", "mean"))


def test_scores_name_what_was_ranked_and_the_day_the_last_of_it_joined(judged):
    collection, run, _ = judged
    ((n, before),) = galleries(collection)
    assert (n, timezone.now() - before > timedelta(days=29)) == (5, True)
    version, scores = computation.version_of(collection=collection), means(collection)
    join(collection, "new1", "other")
    refresh.refresh(collection=collection)
    ((n, after),) = galleries(collection)
    assert (n, timezone.now() - after < timedelta(days=1)) == (7, True)
    assert computation.version_of(collection=collection) != version
    perform_work(run)
    refresh.refresh(collection=collection)
    assert means(collection) == scores  # what joined keeps its rank, and is still unjudged
    assert (run.n_unknown, run.pools.count()) == (1, 1)
    score_rows = Score.objects.order_by("pk").values_list(
        "per_query", "n_gallery", "gallery_at", "inputs_sha256"
    )
    patched = list(score_rows)
    refresh.rebuild(collection=collection)
    assert list(score_rows) == patched


def test_open_pools_and_query_sets_stay_when_documents_join(judged):
    collection, run, pool = judged
    pairs = set(RoundPair.objects.filter(round=pool.round).values_list("pair", "dropped_at"))
    members = set(QuerySetItem.objects.values_list("query_set", "item"))
    join(collection, "new1", "new2")
    perform_work(run)
    assert run.n_unknown == 0
    assert (
        set(RoundPair.objects.filter(round=pool.round).values_list("pair", "dropped_at")) == pairs
    )
    assert set(QuerySetItem.objects.values_list("query_set", "item")) == members
    second = factories.opened(collection, [run], name="second", depth=3)
    assert factories.external_ids(second.pool_pairs.all()) >= {("q0", "new1"), ("q2", "new2")}


def test_a_gallery_with_a_list_of_members_does_not_grow(judged):
    collection, _, _ = judged
    query_set = QuerySet.objects.create(collection=collection, direction="forward", name="part")
    for item, part in (("q0", "source"), ("d0", "gallery"), ("d1", "gallery")):
        query_set.members.create(item=collection.items.get(external_id=item), part=part)
    scope = labels.scope_of(query_set=query_set)
    before = labels.gallery_of(query_set=query_set, scope=scope)
    assert (before.n, before.is_listed) == (2, True)
    join(collection, "new1")
    assert labels.gallery_of(query_set=query_set, scope=scope) == before


def test_a_price_counts_unknown_documents_apart(judged):
    collection, run, _ = judged
    (other,) = used(run_of(collection, {"q0": "new1 d4 new9", "q3": "d0"}, name="other"))
    options = {"collection": collection, "strategy": "depth-k", "parameters": {"depth": 2}}
    pool_preview = previews.preview(runs=[run, other], **options)
    assert pool_preview.n_unknown == 2  # new1 of q0 once, new2 of q2; new9 lies deeper
    assert {share.name: (share.n_pairs, share.n_unknown) for share in pool_preview.shares} == {
        "bm25": (4, 2),
        "other": (2, 1),
    }
    assert previews.added_by(run=other).n_unknown == 2
    join(collection, "new1")
    perform_work(other)
    assert previews.preview(runs=[other], **options).n_unknown == 0
