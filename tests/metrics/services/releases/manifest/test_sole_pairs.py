"""What pooled runs lose without their own labels, against the analysis and a recount."""

import numpy as np
import pytest

from annotate.models import Direction, Item, Level, Resolution
from metrics.services.releases.manifest.sole_pairs import sole_pairs
from pooling.models import Pool, PoolStratum, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.core.analyses.pool import trec
from tests.metrics.services.analysis.pool.pooled_study import (
    brought_by,
    people_grades,
    pooled_study,
    rankings_of,
    reference_grades,
)
from tests.metrics.services.analysis.questions import table_of
from tests.metrics.services.releases.release_study import read_only
from tests.pooling import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(media_root):
    return pooled_study()


def bias_of(study, name="all", direction="forward"):
    aliases = {run.pk: run.name for run in Run.objects.filter(is_hidden=False)}
    query_set = study.query_sets.get(name=name, direction=direction)
    with read_only():
        return sole_pairs(collection=study, query_set=query_set, aliases=aliases)


def test_numbers_are_those_of_the_analysis_of_unique_positives(study):
    rows = {row["run"]: row for row in table_of(study, "unique-positives", measure="AP")}
    bias = bias_of(study)
    assert [entry.run for entry in bias.entries] == ["A", "B", "C"]
    assert bias.undefined == ""
    for entry in bias.entries:
        row = rows[entry.run]
        assert (entry.measure, entry.direction, entry.query_set) == ("AP", "forward", "all")
        assert (entry.with_all, entry.without_own) == (row["score"], row["without_run"])
        assert entry.n_unique_positives == row["n_positive_run"] > 0
        assert entry.without_own != entry.with_all


def test_numbers_are_those_of_a_recount_pair_by_pair(study):
    people, reference = people_grades(), reference_grades(study)
    for entry in bias_of(study).entries:
        own = brought_by(entry.run) - brought_by(*set("ABC") - {entry.run})
        kept_grades = {pair: grade for pair, grade in people.items() if pair not in own}
        ranked = rankings_of(entry.run)
        for grades, mean in ((people, entry.with_all), (kept_grades, entry.without_own)):
            values = trec.values(reference | grades, ranked)["AP"]
            assert mean == pytest.approx(np.mean(list(values.values())))


def test_a_hidden_run_keeps_what_it_shares_with_others_and_has_no_entry(study):
    before = {entry.run: entry for entry in bias_of(study).entries}
    Run.objects.filter(name="B").update(is_hidden=True, name="secret")
    bias = bias_of(study)
    assert {entry.run: entry for entry in bias.entries} == {
        name: entry for name, entry in before.items() if name != "B"
    }
    assert "secret" not in repr(bias)


def test_without_a_reference_set_labels_are_peoples_alone(study):
    study.reference_sets.all().delete()
    people = people_grades()
    rows = {row["run"]: row for row in table_of(study, "unique-positives", measure="AP")}
    for entry in bias_of(study).entries:
        values = trec.values(people, rankings_of(entry.run))["AP"]
        assert entry.with_all == pytest.approx(sum(values.values()) / 8)
        assert entry.without_own == rows[entry.run]["without_run"]


def test_two_pools_of_a_run_are_one_origin(study):
    before = {entry.run: entry.n_unique_positives for entry in bias_of(study).entries}
    runs = list(Run.objects.filter(name__in=["A", "C"]).order_by("name"))
    factories.opened(study, runs, name="second", depth=2)
    after = {entry.run: entry.n_unique_positives for entry in bias_of(study).entries}
    assert after == before


def test_without_a_pool_of_that_direction_it_is_not_defined(study):
    reverse = study.query_sets.create(name="all", direction="reverse")
    for document in study.items.filter(side="document"):
        reverse.members.create(item=document)
    bias = bias_of(study, direction="reverse")
    assert bias.entries == ()
    assert bias.undefined == "No pool of runs from documents to queries was opened."


def test_one_pooled_run_is_too_few(study):
    Run.objects.filter(name__in=["B", "C"]).update(retired_at="2026-01-01T00:00Z")
    bias = bias_of(study)
    assert bias.entries == ()
    assert bias.undefined.startswith("It takes two pooled runs")


def test_hidden_runs_alone_tell_nothing(study):
    Run.objects.update(is_hidden=True)
    assert bias_of(study).undefined == "No pooled run may be told of."


def test_a_sample_is_not_judged_by_its_drawn_pairs(study):
    labelled_pairs = people_grades().keys() | reference_grades(study).keys()
    query, target = next(
        (query, targets[5])
        for query, targets in rankings_of("A").items()
        if (query, targets[5]) not in labelled_pairs
    )
    PoolStratum.objects.create(
        pool=Pool.objects.get(),
        source=Item.objects.get(pk=query),
        stratum=1,
        n_pooled=1,
        n_drawn=0,
        undrawn=[target],
    )
    bias = bias_of(study)
    assert bias.entries == ()
    assert bias.undefined.startswith("Pairs that a sample left undrawn have no label")


def test_without_a_grade_by_people_it_is_not_defined(study):
    Resolution.objects.all().delete()
    assert bias_of(study).undefined == "People gave no pair of these queries a grade."


def test_the_threshold_is_the_collections(media_root):
    study = factories.collection(6, 12, batch_candidates=500)
    Level.objects.create(collection=study, grade=2, key="2", name="Level 2")
    everything = study.query_sets.create(name="all", direction=Direction.FORWARD)
    for query in study.items.filter(side="query"):
        everything.members.create(item=query)
    rng = np.random.default_rng(2)
    runs = [
        factories.run(study, name, {q: rng.permutation(12)[:8].tolist() for q in range(6)})
        for name in "AB"
    ]
    factories.opened(study, runs, depth=4)
    studies.judge(cast.annotator(study), seed=1)
    counts = []
    for threshold in (1, 2):
        study.positive_from = threshold
        study.save()
        rows = {row["run"]: row for row in table_of(study, "unique-positives", measure="AP")}
        entries = bias_of(study).entries
        assert [entry.with_all for entry in entries] == [rows[name]["score"] for name in "AB"]
        counts.append(sum(entry.n_unique_positives for entry in entries))
    assert counts[0] > counts[1] > 0
