"""A leaderboard beside a sampled pool marks measures that count undrawn pairs as irrelevant."""

import csv
import io

import numpy as np
import pytest

from annotate.models import Kept, Resolution, Role
from annotate.services.collection.query_sets import complete_query_sets
from metrics.core.measures.measures import parse_one
from metrics.core.pools.undrawn_targets import counts_undrawn
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.numbers import refresh
from pooling.models import PoolStratum, Ranking
from tests import cast
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of
from tests.pooling import factories
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
TOP = 2


@pytest.fixture
def sampled(media_root):
    """Two runs of 5 queries and their judged pool: all pairs to rank 2, half of those to rank 8."""
    return judged()


@cached_rows
def judged(**options):
    rng = np.random.default_rng(7)
    collection = factories.collection(5, 30, batch_candidates=500)
    complete_query_sets(collection=collection)
    runs = [
        factories.run(collection, name, {q: rng.permutation(30)[:12].tolist() for q in range(5)})
        for name in ("a", "b")
    ]
    factories.opened(
        collection, runs, strategy="stratified", top=TOP, depth=8, share=0.5, **options
    )
    studies.judge(cast.annotator(collection), seed=1, likes=0.4)
    refresh.refresh(collection=collection)
    return collection


def board_of(collection, measures="", reads=read_choices, **parameters):
    spec = reads(
        collection=collection, viewer=None, parameters={"measures": measures, **parameters}
    ).spec
    boards.compute(collection=collection, spec=spec)
    return boards.find(collection=collection, spec=spec).value


@pytest.mark.parametrize(
    "measures", ["C@1 AP nDCG@10", f"P@{TOP} C@{TOP} P@{TOP + 1} RR Judged@10 Bpref"]
)
def test_only_measures_whose_ranks_were_all_drawn_have_intervals_and_decide(sampled, measures):
    (forward,) = [side for side in board_of(sampled, measures)["directions"] if side["runs"]]
    assert forward["undrawn"]["pools"] == ["first"]
    n_undrawn = sum(len(row.undrawn) for row in sampled.pools.get().strata.all())
    assert forward["undrawn"]["n"] == n_undrawn > 0
    assert forward["undrawn"]["n_waiting"] == 0
    kinds = dict.fromkeys(("C@1", f"P@{TOP}", f"C@{TOP}", "Judged@10"), "exact")
    kinds |= {f"P@{TOP + 1}": "unbiased", "AP": "approximate", "nDCG@10": "approximate"}
    for measure in forward["measures"]:
        assert measure["kind"] == kinds.get(measure["name"], "not estimable"), measure["name"]
        is_sure = measure["kind"] in ("exact", "unbiased")
        for cell in measure["cells"]:
            assert cell["whole"] is not None
            assert (cell["low"] is not None) is is_sure
        assert bool(measure["decided"]["why"]) is not is_sure


def test_with_reference_labels_alone_nothing_counts_as_undrawn(sampled):
    cast.reference(sampled, {("q0", "d0"): 1})
    (forward,) = [
        side for side in board_of(sampled, labels="none:original")["directions"] if side["runs"]
    ]
    assert forward["undrawn"] is None
    assert {measure["kind"] for measure in forward["measures"]} == {"exact"}


def test_of_a_sample_whose_undrawn_pairs_nobody_knows_every_measure_is_marked(sampled, client):
    PoolStratum.objects.all().delete()  # as if the pool had been opened before they were kept
    (forward,) = [side for side in board_of(sampled)["directions"] if side["runs"]]
    assert forward["undrawn"] == {"pools": ["first"], "sets": [], "n": None, "n_waiting": 0}
    assert {measure["kind"] for measure in forward["measures"]} == {"not estimable"}
    client.force_login(cast.member(sampled, Role.RESEARCHER))
    page = text_of(client.get(f"/c/{sampled.slug}/results/leaderboard/"))
    assert "were not drawn is not known" in page


def test_a_budget_that_cuts_what_was_sure_touches_the_first_ranks(media_root):
    (forward,) = [
        side for side in board_of(judged(budget=1), f"P@{TOP}")["directions"] if side["runs"]
    ]
    assert forward["measures"][0]["kind"] == "not estimable"


def test_two_runs_are_not_compared_by_what_counts_the_undrawn_as_irrelevant(sampled):
    assert (
        "only approximately estimated"
        in board_of(sampled, reads=read_comparison, measure="AP")["why"]
    )
    assert "did not draw" in board_of(sampled, reads=read_comparison, measure="C@10")["why"]
    assert board_of(sampled, reads=read_comparison, measure="P@8")["kind"] == "unbiased"
    assert board_of(sampled, reads=read_comparison, measure="C@1")["why"] == ""


def test_a_pool_that_holds_the_rest_and_is_judged_makes_all_exact_again(sampled):
    factories.opened(sampled, list(sampled.runs.all()), name="rest", depth=8)
    for seed in range(3):
        studies.judge(cast.annotator(sampled), seed=seed, likes=0.4)
    refresh.refresh(collection=sampled)
    (forward,) = [side for side in board_of(sampled)["directions"] if side["runs"]]
    assert forward["undrawn"] is None
    assert {measure["kind"] for measure in forward["measures"]} == {"exact"}


@pytest.mark.parametrize("name", ["xinfAP", "infAP", "xinfAP@1000"])
def test_measures_of_a_sample_are_no_columns_of_a_leaderboard(sampled, name):
    choices = read_choices(collection=sampled, viewer=None, parameters={"measures": f"AP {name}"})
    assert name in choices.errors[0]
    assert "infers from a sample" in choices.errors[0]


@pytest.mark.parametrize(
    ("name", "first", "is_touched"),
    [
        ("P@5", 6, False),
        ("P@5", 5, True),
        ("P(judged_only=True)@5", 6, True),
        ("RR@5", 6, False),
        ("RR", 50, True),
        ("RR", np.inf, False),
        ("MedR", np.inf, False),
        ("ERR@5", 6, True),
        ("R@5", 6, True),
        ("nDCG@5", 6, True),
        ("Judged@5", 1, False),
    ],
)
def test_what_a_measure_looks_at_decides_whether_it_is_exact(name, first, is_touched):
    assert counts_undrawn(parse_one(name), [np.inf, first]) is is_touched
    assert not counts_undrawn(parse_one(name), [])


def test_the_page_and_its_csv_mark_them(sampled, client):
    client.force_login(cast.member(sampled, Role.RESEARCHER))
    page = text_of(client.get(f"/c/{sampled.slug}/results/leaderboard/"))
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    assert "\N{EN DASH}" not in table  # no interval before it is known which is exact
    board_of(sampled)
    page = text_of(client.get(f"/c/{sampled.slug}/results/leaderboard/"))
    assert "Pool “first” is a sample" in page
    assert "C@10 †" in page
    assert "C@1 †" not in page
    assert "%, approximate" in page
    lines = csv.DictReader(
        io.StringIO(client.get(f"/c/{sampled.slug}/results/leaderboard/table.csv").content.decode())
    )
    kinds = {line["measure"]: line["on_samples"] for line in lines}
    assert [kinds[name] for name in ("AP", "C@1", "C@10")] == [
        "approximate",
        "exact",
        "not estimable",
    ]


def test_a_view_kept_from_before_sets_were_named_is_shown_still(sampled, client):
    client.force_login(cast.member(sampled, Role.RESEARCHER))
    board_of(sampled, "AP")
    view = Kept.objects.get(collection=sampled)
    for side in view.value["directions"]:
        side["undrawn"] and side["undrawn"].pop("sets")
    view.save()
    for address in ("", "table.tex"):
        page = client.get(f"/c/{sampled.slug}/results/leaderboard/{address}", {"measures": "AP"})
        assert page.status_code == 200 and "Pool " in text_of(page)


def test_what_was_drawn_and_is_not_judged_yet_is_no_more_exact(sampled):
    first = (
        Resolution.objects.filter(collection=sampled, grade__isnull=False).order_by("pk").first()
    )
    pair = first.pair
    targets = [row.targets for row in Ranking.objects.filter(source=pair.query_id)]
    first.delete()
    refresh.refresh(collection=sampled)
    rank = 1 + min(own.index(pair.document_id) for own in targets if pair.document_id in own)
    (forward,) = [
        side for side in board_of(sampled, f"C@{rank} P@{rank}")["directions"] if side["runs"]
    ]
    assert forward["undrawn"]["n_waiting"] == 1
    assert [measure["kind"] for measure in forward["measures"]] == ["not estimable", "unbiased"]
