"""The pools of a release: runs by alias, hidden ones counted and never named."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Direction
from annotate.services.review.exclusions import exclude_pair
from metrics.services.numbers import refresh
from metrics.services.releases.manifest.numbers import count_numbers
from metrics.services.releases.manifest.pool_facts import pool_entries
from pooling.models import Pool, PoolPair, Run
from pooling.services.pools import pools
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.release_study import read_only
from tests.pooling import factories

pytestmark = pytest.mark.django_db
RANKED = {query: [(query + step) % 12 for step in range(8)] for query in range(4)}
OTHER = {query: [(query + 2 * step) % 12 for step in range(6)] for query in range(4)}


@pytest.fixture
def study(media_root):
    return factories.collection(4, 12, batch_candidates=50)


def entries_of(study):
    runs = Run.objects.filter(collection=study, is_hidden=False).order_by("pk")
    aliases = {run.pk: f"run-{number:02}" for number, run in enumerate(runs, 1)}
    with read_only():
        return pool_entries(
            collection=study, numbers=count_numbers(collection=study), aliases=aliases
        )


def test_a_pool_tells_how_its_pairs_were_chosen(study):
    runs = [factories.run(study, "a", RANKED), factories.run(study, "b", OTHER)]
    pool = factories.opened(study, runs, depth=3, rate=12.5, currency="USD")
    studies.judge(cast.annotator(study), n=7)
    (entry,) = entries_of(study)
    assert (entry.name, entry.direction) == ("first", "forward")
    assert (entry.strategy, entry.seed, entry.state) == ("depth-k", "1", "open")
    assert entry.parameters["depth"] == 3
    assert not {"rate", "currency"} & set(entry.parameters)
    assert (entry.opened_on, entry.closed_on) == (str(timezone.now().date()), None)
    assert (entry.runs, entry.n_hidden_runs) == (("run-01", "run-02"), 0)
    ranks = PoolPair.objects.filter(pool=pool).values_list("best_rank", flat=True)
    assert entry.depth == max(ranks) == 3
    assert (entry.n_pairs, entry.n_judged) == (len(ranks), 7)
    assert entry.policy_version == pool.round.policy.version


def test_a_hidden_run_is_counted_and_never_named(study):
    secret = factories.run(study, "secret system", OTHER)
    factories.opened(study, [factories.run(study, "a", RANKED), secret], depth=3)
    Run.objects.filter(pk=secret.pk).update(is_hidden=True, system="secret", team="secret")
    (entry,) = entries_of(study)
    assert (entry.runs, entry.n_hidden_runs) == (("run-01",), 1)
    assert "secret" not in repr(entry)
    aliases = {run.pk: run.name for run in Run.objects.all()}
    numbers = count_numbers(collection=study)
    (entry,) = pool_entries(collection=study, numbers=numbers, aliases=aliases)
    assert (entry.runs, entry.n_hidden_runs) == (("a",), 1)


def test_the_direction_of_a_hidden_run_is_not_told(study):
    of_documents = {document: [0, 1, 2, 3] for document in range(12)}
    secret = factories.run(study, "secret", of_documents, direction=Direction.REVERSE)
    factories.opened(study, [factories.run(study, "a", RANKED), secret])
    assert [entry.direction for entry in entries_of(study)] == ["both"]
    Run.objects.filter(pk=secret.pk).update(is_hidden=True)
    assert [entry.direction for entry in entries_of(study)] == ["forward"]


def test_pairs_are_counted_as_the_dashboard_counts_them(study):
    pool = factories.opened(study, [factories.run(study, "a", RANKED)], depth=3)
    studies.judge(cast.annotator(study), n=5)
    judged = study.pairs.filter(resolution__isnull=False).earliest("pk")
    exclude_pair(pair=judged, by=None, reason="odd")
    refresh.refresh(collection=study)
    (round_,) = study.snapshots.get(kind="progress").value["rounds"]
    (entry,) = entries_of(study)
    assert entry.n_pairs == round_["n_pairs"] == PoolPair.objects.filter(pool=pool).count() - 1
    assert entry.n_judged == round_["states"]["complete"] == 4


def test_a_closed_pool_says_when_and_a_draft_is_not_told(study):
    run = factories.run(study, "a", RANKED)
    pools.close_pool(pool=factories.opened(study, [run]))
    factories.draft(study, [run], name="second")
    (entry,) = entries_of(study)
    assert (entry.name, entry.state) == ("first", "closed")
    assert entry.closed_on == str(timezone.now().date())


def test_a_pool_without_ranks_has_no_depth(study):
    factories.opened(study, [factories.run(study, "a", RANKED)])
    PoolPair.objects.update(best_rank=None)
    assert [entry.depth for entry in entries_of(study)] == [None]


def test_as_many_queries_however_many_pools_people_and_levels(study):
    runs = [factories.run(study, "a", RANKED), factories.run(study, "b", OTHER)]
    n_queries = []
    for name, depth in (("first", 1), ("second", 2), ("third", 3)):
        factories.opened(study, runs, name=name, depth=depth)
        studies.judge(cast.annotator(study), n=3)
        with CaptureQueriesContext(connection) as queries:
            assert entries_of(study)[-1].name == name
        n_queries.append(len(queries))
    assert len(set(n_queries)) == 1
    assert Pool.objects.count() == 3
