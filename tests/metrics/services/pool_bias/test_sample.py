"""xinfAP of a stratified pool equals `evaluate` on the same sample as a file, or has a reason."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import Item, Resolution, Role
from annotate.services.background import kept
from metrics.services.pool_bias import study
from metrics.services.pool_bias.page import page_of
from pooling.core.strategies.options import CUT_STRATUM
from pooling.models import PoolPair, PoolStratum
from pooling.services.pools import run_retirement
from pooling.services.pools.strata import StrataUnknown, population_of
from tests import cast, works
from tests.assayer.commands.files.running import output_of
from tests.metrics import studies
from tests.pages import text_of
from tests.pooling import factories
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db


def sample_on_page(pool):
    works.compute_anew(study.inquiry_of(pool=pool))
    return (
        page_of(pool=pool, bias=kept.find(inquiry=study.inquiry_of(pool=pool)), measure=None)
        .directions[0]
        .sample
    )


@pytest.fixture
def sampled(media_root):
    return sampled_pool()


@cached_rows
def sampled_pool():
    """Two runs over 5 queries, and an opened pool of their first 8 in two strata."""
    rng = np.random.default_rng(7)
    collection = factories.collection(5, 30, batch_candidates=500)
    ranked = {name: {q: rng.permutation(30)[:12].tolist() for q in range(5)} for name in "AB"}
    runs = [factories.run(collection, name, rows) for name, rows in ranked.items()]
    pool = factories.opened(collection, runs, strategy="stratified", top=2, depth=8, share=0.5)
    return SimpleNamespace(collection=collection, ranked=ranked, runs=runs, pool=pool)


def best_ranks(ranked):
    """The best rank of each pair among the first 8 of some runs."""
    best = {}
    for rows in ranked:
        for q, targets in rows.items():
            for rank, d in enumerate(targets[:8], 1):
                best[f"q{q}", f"d{d}"] = min(rank, best.get((f"q{q}", f"d{d}"), rank))
    return best


def evaluated(sampled, folder, strata):
    """xinfAP by the command from a file of these strata and people's grades of the drawn pairs."""
    resolutions = Resolution.objects.filter(collection=sampled.collection, grade__isnull=False)
    grades = {
        (row.pair.query.external_id, row.pair.document.external_id): row.grade
        for row in resolutions
    }
    drawn_pairs = factories.external_ids(PoolPair.objects.filter(pool=sampled.pool))
    grade_of = {pair: grades.get(pair, -1) if pair in drawn_pairs else -1 for pair in strata}
    lines = (f"{q} 0 {d} {stratum} {grade_of[q, d]}\n" for (q, d), stratum in strata.items())
    (folder / "qrels").write_text("".join(lines))
    expected = {}
    for name, rows in sampled.ranked.items():
        (folder / name).write_bytes(factories.lines(rows))
        text = output_of(
            "evaluate",
            f"{folder}/{name}",
            "--qrels",
            f"{folder}/qrels",
            "--measures",
            "xinfAP@1000",
            "--threshold",
            str(sampled.collection.positive_from),
            "--json",
        )
        expected[name] = pytest.approx(json.loads(text)["all"]["xinfAP@1000"])
    return expected


def xinfap_of(sample):
    return {row.name: row.xinfap for row in sample.rows}


def strata_of(best):
    return {pair: 1 if rank <= 2 else 2 for pair, rank in best.items()}


def retire(run):
    run_retirement.retire_run(run=run, by=cast.user())
    run_retirement.settle_marks(run=run)


def test_xinfap_of_a_pool_is_that_of_its_file_and_stays_so_once_a_run_is_retired(sampled, tmp_path):
    assert sample_on_page(sampled.pool).reason == "no pair that was drawn is positive yet."
    studies.judge(cast.annotator(sampled.collection), seed=1, likes=0.4)
    best = best_ranks(sampled.ranked.values())
    expected = evaluated(sampled, tmp_path, strata_of(best))
    sample = sample_on_page(sampled.pool)
    n_drawn = PoolPair.objects.filter(pool=sampled.pool).count()
    assert (sample.n_pooled, sample.n_drawn) == (len(best), n_drawn)
    assert 0 < n_drawn < len(best)
    assert xinfap_of(sample) == expected
    retire(sampled.runs[0])
    assert xinfap_of(sample_on_page(sampled.pool)) == {"B": expected["B"]}


def test_pairs_of_a_retired_run_that_nobody_judges_any_more_leave_the_strata(sampled, tmp_path):
    best = strata_of(best_ranks(sampled.ranked.values()))
    retire(sampled.runs[0])
    studies.judge(cast.annotator(sampled.collection), seed=1, likes=0.4)
    own = {pair: best[pair] for pair in best_ranks([sampled.ranked["B"]])}
    sample = sample_on_page(sampled.pool)
    assert xinfap_of(sample) == {"B": evaluated(sampled, tmp_path, own)["B"]}
    assert sample.n_pooled == len(own) < len(best)


def test_strata_are_frozen_at_opening_and_of_an_older_pool_when_somebody_looks(sampled):
    strata = PoolStratum.objects.filter(pool=sampled.pool).order_by("source", "stratum")
    frozen = list(strata.values("source", "stratum", "n_pooled", "n_drawn", "undrawn"))
    best = strata_of(best_ranks(sampled.ranked.values()))
    drawn_pairs = factories.external_ids(PoolPair.objects.filter(pool=sampled.pool))
    names = dict(
        Item.objects.filter(collection=sampled.collection).values_list("pk", "external_id")
    )
    undrawn = {
        (names[row["source"]], names[key]): row["stratum"]
        for row in frozen
        for key in row["undrawn"]
    }
    assert undrawn == {pair: stratum for pair, stratum in best.items() if pair not in drawn_pairs}
    assert sum(row["n_pooled"] for row in frozen) == len(best)
    strata.delete()
    assert len(population_of(pool=sampled.pool).query) == len(best)
    # reading writes nothing: downloads read in a transaction that may not
    assert not strata.exists()
    works.compute_anew(study.inquiry_of(pool=sampled.pool))
    assert list(strata.values("source", "stratum", "n_pooled", "n_drawn", "undrawn")) == frozen


def test_an_older_pool_whose_runs_changed_before_anybody_looked_has_no_strata(sampled):
    PoolStratum.objects.filter(pool=sampled.pool).delete()
    retire(sampled.runs[0])
    assert "have changed since it was drawn" in sample_on_page(sampled.pool).reason


def test_a_pool_in_both_directions_and_one_without_what_a_reference_labels_have_no_strata(sampled):
    documents = {d: [d % 5, (d + 1) % 5] for d in range(30)}
    back = factories.run(sampled.collection, "back", documents, direction="reverse")
    both = factories.opened(
        sampled.collection,
        [*sampled.runs, back],
        name="both",
        strategy="stratified",
        top=1,
        depth=4,
        share=0.5,
    )
    assert not both.strata.exists()
    with pytest.raises(StrataUnknown, match="goes both ways"):
        population_of(pool=both)
    labels = {(f"q{q}", f"d{sampled.ranked['A'][q][5]}"): 1 for q in range(5)}
    cast.reference(sampled.collection, labels, "original")
    options = {"strategy": "stratified", "top": 2, "depth": 8, "share": 0.5, "trusted": "original"}
    without = factories.opened(sampled.collection, sampled.runs, name="without", **options)
    with pytest.raises(StrataUnknown, match="were left out"):
        population_of(pool=without)
    checked = factories.opened(
        sampled.collection, sampled.runs, name="checked", **options, check_share=0.5
    )
    cells = list(checked.strata.values_list("stratum", "n_pooled", "n_drawn"))
    assert sum(n_pooled for stratum, n_pooled, _ in cells if stratum > 10) == 5
    assert sum(n_pooled for _, n_pooled, _ in cells) == len(best_ranks(sampled.ranked.values()))
    assert 0 < sum(n_drawn for stratum, _, n_drawn in cells if stratum > 10) < 5
    with pytest.raises(StrataUnknown, match="nothing was drawn"):
        population_of(pool=checked)


def test_a_budget_that_cuts_what_was_sure_leaves_a_stratum_of_which_nothing_is_known(sampled):
    options = {"strategy": "stratified", "top": 2, "depth": 8, "share": 0.5, "budget": 2}
    pool = factories.opened(sampled.collection, sampled.runs, name="few", **options)
    cut = pool.strata.filter(stratum=CUT_STRATUM)
    best = strata_of(best_ranks(sampled.ranked.values()))
    assert sum(row.n_pooled for row in cut) == sum(stratum == 1 for stratum in best.values()) - 10
    assert {row.n_drawn for row in cut} == {0}
    with pytest.raises(StrataUnknown, match="nothing was drawn"):
        population_of(pool=pool)


def test_sums_over_pairs_are_exact_where_all_is_drawn_and_judged_and_have_errors_where_it_is_not(
    sampled,
):
    options = {"strategy": "stratified", "top": 2, "depth": 8, "share": 1.0}
    whole = factories.opened(sampled.collection, sampled.runs, name="whole", **options)
    for seed in range(3):
        studies.judge(cast.annotator(sampled.collection), seed=seed, likes=0.4)
    resolutions = Resolution.objects.filter(collection=sampled.collection, grade__isnull=False)
    grades = {
        (row.pair.query.external_id, row.pair.document.external_id): row.grade
        for row in resolutions
    }
    sample = sample_on_page(whole)
    assert sample.n_judged == sample.n_drawn == sample.n_pooled
    assert sample.k == 8
    level = sampled.collection.positive_from
    n_positive = sum(grades[pair] >= level for pair in best_ranks(sampled.ranked.values()))
    assert sample.positives == (pytest.approx(n_positive / 5), pytest.approx(0))
    for row in sample.rows:
        own = [
            grades[f"q{q}", f"d{d}"]
            for q, docs in sampled.ranked[row.name].items()
            for d in docs[:8]
        ]
        assert row.precision == (
            pytest.approx(sum(grade >= level for grade in own) / 40),
            pytest.approx(0),
        )
    part = sample_on_page(sampled.pool)
    assert all(row.precision.standard_error > 0 for row in part.rows)
    assert str(part.rows[0].precision).count("\N{PLUS-MINUS SIGN}") == 1


def test_precision_at_ranks_that_were_all_drawn_and_judged_does_not_wait_for_deeper_strata(sampled):
    options = {"strategy": "stratified", "top": 10, "depth": 12, "share": 0.5}
    deep = factories.opened(sampled.collection, sampled.runs, name="deep", **options)
    studies.judge(cast.annotator(sampled.collection), seed=1, likes=0.4)
    below = PoolPair.objects.filter(pool=deep, stratum=2).values("pair")
    Resolution.objects.filter(collection=sampled.collection, pair__in=below).delete()
    resolutions = Resolution.objects.filter(collection=sampled.collection, grade__isnull=False)
    grades = {
        (row.pair.query.external_id, row.pair.document.external_id): row.grade
        for row in resolutions
    }
    sample = sample_on_page(deep)
    assert sample.k == 10 and sample.positives.mean is None and 0 < sample.n_judged < sample.n_drawn
    for row in sample.rows:
        own = [
            grades[f"q{q}", f"d{d}"]
            for q, docs in sampled.ranked[row.name].items()
            for d in docs[:10]
        ]
        n_positive = sum(grade >= sampled.collection.positive_from for grade in own)
        assert row.precision == (pytest.approx(n_positive / 50), pytest.approx(0))
        assert row.dcg.mean is not None and row.rbp.mean is None and row.xinfap is None


def test_a_document_that_is_excluded_leaves_the_strata_and_no_more(sampled):
    studies.judge(cast.annotator(sampled.collection), seed=1, likes=0.4)
    retire(sampled.runs[0])
    before = sample_on_page(sampled.pool)
    document = PoolPair.objects.filter(pool=sampled.pool).order_by("pk").first().pair.document
    n_of_it = PoolPair.objects.filter(pool=sampled.pool, pair__document=document).count()
    n_of_it_undrawn = PoolStratum.objects.filter(
        pool=sampled.pool, undrawn__contains=[document.pk]
    ).count()
    Item.objects.filter(pk=document.pk).update(excluded_at=timezone.now(), excluded_reason="broken")
    after = sample_on_page(sampled.pool)
    assert after.n_drawn == before.n_drawn - n_of_it
    assert after.n_pooled == before.n_pooled - n_of_it - n_of_it_undrawn


def test_stop_advice_is_not_given_by_scores_of_a_sample(sampled, client):
    studies.judge(cast.annotator(sampled.collection), seed=1, likes=0.4)
    works.compute_anew(study.inquiry_of(pool=sampled.pool))
    client.force_login(cast.member(sampled.collection, Role.RESEARCHER))
    page = text_of(
        client.get(reverse("metrics:pool-bias", args=[sampled.collection.slug, sampled.pool.pk]))
    )
    assert "Not defined for a sample" in page
    assert "Order holds" not in page


def test_random_negatives_are_in_no_stratum_and_what_a_budget_cuts_was_not_drawn(sampled):
    options = {
        "strategy": "stratified",
        "top": 2,
        "depth": 8,
        "share": 0.5,
        "budget": 6,
        "negatives": 2,
    }
    pool = factories.opened(sampled.collection, sampled.runs, name="few", **options)
    population = population_of(pool=pool)
    assert np.count_nonzero(population.is_drawn) == 30
    assert PoolPair.objects.filter(pool=pool).count() == 40
    assert set(pool.strata.values_list("stratum", flat=True)) <= {1, 2, CUT_STRATUM}
    assert len(population.query) == len(best_ranks(sampled.ranked.values()))


def test_a_queue_that_follows_the_labels_has_no_estimates_and_its_page_says_why(sampled, client):
    live = factories.opened(
        sampled.collection, sampled.runs, name="live", strategy="maxmean", depth=4
    )
    client.force_login(cast.member(sampled.collection, Role.RESEARCHER))
    for pool, is_live in ((live, True), (sampled.pool, False)):
        assert (sample_on_page(pool) is None) is is_live
        page = text_of(
            client.get(reverse("metrics:pool-bias", args=[sampled.collection.slug, pool.pk]))
        )
        assert ("no pair had a chance known beforehand" in page) is is_live
