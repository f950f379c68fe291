"""Building a pool on its page: filled in by an address, priced at once or by a worker, compared."""

import re
from html import unescape

import pytest

from annotate.models import QuerySet, QuerySetItem
from annotate.services.background import kept
from pooling import heatmaps
from pooling.core.strategies.strategies import STRATEGIES
from pooling.models import Pool
from pooling.services.pools import preview_requests
from tests import works
from tests.pooling import factories
from tests.pooling.views.addresses import url
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root", "researcher")]


def form(of, **more):
    return {"strategy": "depth-k", "depth": 2, "runs": [run.pk for run in of], "seed": 1} | more


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_has_a_form_whose_first_values_make_a_pool(
    client, collection, two_runs, strategy
):
    query_set = QuerySet.objects.create(collection=collection, name="some", direction="forward")
    QuerySetItem.objects.create(query_set=query_set, item=collection.items.get(external_id="q1"))
    page = client.get(url("pool-new", collection), {"strategy": strategy})
    assert page.status_code == 200
    assert ("Biased toward finding" in page.content.decode()) == bool(STRATEGIES[strategy].order)
    fields = page.context["form"]
    values = {field.html_name: field.value() for field in fields if field.value() not in (None, "")}
    values |= {"name": "p", "strategy": strategy, "runs": [run.pk for run in two_runs]}
    if STRATEGIES[strategy].needs_query_set:
        values["query_set"] = query_set.pk
    answer = client.post(url("pool-new", collection), values)
    assert answer.status_code == 302, answer.context["form"].errors
    pool = Pool.objects.get()
    assert set(pool.parameters) == {parameter.name for parameter in STRATEGIES[strategy].parameters}
    perform_work(pool)
    assert (pool.state, pool.work.error) == ("open", "")


def test_an_address_fills_the_form_in_and_asks_for_the_price_at_once(client, collection, two_runs):
    page = client.get(
        url("pool-new", collection),
        {"strategy": "adds", "runs": two_runs[1].pk, "depth": 7, "preview": 1},
    )
    fields = page.context["form"]
    assert (fields["runs"].value(), fields["depth"].value()) == ([two_runs[1].pk], "7")
    assert 'hx-trigger="click, load"' in page.content.decode()
    assert (
        client.get(
            url("pool-new", collection), {"runs": ["x", "9" * 40], "depth": "<b>"}
        ).status_code
        == 200
    )


def planner_choices(client, collection, preview):
    """The choices of the planner's page that a preview leads to."""
    link = unescape(re.search(r'href="([^"]+/analysis/planner/[^"]*)"', preview)[1])
    assert link.startswith(f"/c/{collection.slug}/results/analysis/planner/?")
    page = client.get(link)
    assert page.status_code == 200
    return page.context["choices"]


def test_a_preview_leads_to_the_planner_of_its_runs(client, collection, two_runs):
    factories.run(collection, "c", {0: [1]})
    QuerySet.objects.create(collection=collection, name="all", direction="forward")
    preview = client.post(url("pool-preview", collection), form(two_runs)).content.decode()
    choices = planner_choices(client, collection, preview)
    assert choices.runs == two_runs and choices.scores.spec.query_set == "all"
    assert "planner of these\n  runs</a> tells" in preview


@pytest.mark.parametrize("only", ["", "d4"])
@pytest.mark.parametrize("is_small", [True, False])
def test_a_preview_leads_to_the_planner_of_its_query_set(
    client, collection, two_runs, monkeypatch, only, is_small
):
    back = [factories.run(collection, name, {1: [0], 4: [1]}, "reverse") for name in ("c", "d")]
    documents = collection.items.filter(external_id__in=["d1", "d4"])
    for name, direction in (("all", "forward"), ("all", "reverse"), ("a & b?", "reverse")):
        query_set = QuerySet.objects.create(collection=collection, name=name, direction=direction)
    for document in documents:
        query_set.members.create(item=document, part="source")
    monkeypatch.setattr(preview_requests, "SYNCHRONOUS_ROWS", 20_000 if is_small else 1)
    values = form(back, query_set=query_set.pk, only=only)
    with works.value_requests() as inquiries:
        preview = client.post(url("pool-preview", collection), values).content.decode()
    assert len(inquiries) == (not is_small)
    if not is_small:
        kept.compute(inquiry=inquiries[0])
        preview = client.get(re.search(r'hx-get="([^"]+)"', preview)[1]).content.decode()
    choices = planner_choices(client, collection, preview)
    assert (choices.direction, choices.scores.spec.query_set) == ("reverse", "a & b?")
    assert choices.runs == back and choices.errors == []
    assert "and the query set “a &amp; b?”</a> tells" in preview


def test_listed_queries_become_a_query_set_of_the_name_of_the_pool(client, collection, two_runs):
    some = QuerySet.objects.create(collection=collection, name="some", direction="forward")
    keys = dict(collection.items.values_list("external_id", "pk"))
    first = two_runs[0].rankings.get(source=keys["q1"]).targets[0]
    for key, part in ((keys["q0"], "source"), (keys["q1"], "source"), (first, "gallery")):
        some.members.create(item_id=key, part=part)
    values = form(two_runs, name="deeper", only=" q1 \r\n\r\nq1", query_set=some.pk)
    preview = client.post(url("pool-preview", collection), values).context["preview"]
    assert (preview.n_queries, preview.n_pairs) == (1, 1)
    assert list(collection.query_sets.values_list("name", flat=True)) == ["some"]
    assert client.post(url("pool-new", collection), values).status_code == 302
    pool = Pool.objects.get()
    members = set(pool.query_set.members.values_list("item", "part"))
    assert members == {(keys["q1"], "source"), (first, "gallery")}
    perform_work(pool)
    assert pool.pool_pairs.count() == preview.n_pairs


@pytest.mark.parametrize(
    ("only", "name", "words"),
    [
        ("q1\nnone", "p", "The collection has no query “none”."),
        ("d1", "p", "The collection has no query “d1”."),
        ("q1", "some", "there is a query set &quot;some&quot;; choose another name."),
    ],
)
def test_queries_that_cannot_be_pooled_alone_are_told(
    client, collection, two_runs, only, name, words
):
    QuerySet.objects.create(collection=collection, name="some", direction="forward")
    answer = client.post(url("pool-new", collection), form(two_runs, name=name, only=only))
    assert answer.status_code == 422 and words in answer.content.decode()
    assert not Pool.objects.exists() and collection.query_sets.count() == 1


def test_listed_queries_and_runs_of_both_directions_are_told(client, collection, two_runs):
    back = factories.run(collection, "back", {0: [1]}, direction="reverse")
    values = form([*two_runs, back], name="p", only="q1")
    answer = client.post(url("pool-new", collection), values)
    words = "They are of one direction: leave out the runs of the other."
    assert answer.status_code == 422 and words in answer.content.decode()


def test_options_stay_folded_until_one_is_set_and_are_stored_only_then(
    client, collection, two_runs
):
    factories.reference(collection, [(0, 1), (1, 4)])
    assert '<details class="stack">' in client.get(url("pool-new", collection)).content.decode()
    wrong = client.post(url("pool-new", collection), form(two_runs, name="p", budget=-1))
    assert wrong.status_code == 422
    assert '<details class="stack" open>' in wrong.content.decode()
    values = form(
        two_runs,
        name="p",
        trusted="original",
        check_share="0.5",
        negatives=2,
        rate="12.5",
        currency="GBP",
    )
    assert client.post(url("pool-new", collection), values).status_code == 302
    assert Pool.objects.get().parameters == {
        "depth": 2,
        "trusted": "original",
        "check_share": 0.5,
        "negatives": 2,
        "rate": 12.5,
        "currency": "GBP",
    }
    # as the last pool had it
    assert client.get(url("pool-new", collection)).context["form"]["rate"].value() == 12.5


def test_a_small_pool_s_price_comes_at_once_with_pay_and_likeness(client, collection, two_runs):
    answer = client.post(url("pool-preview", collection), form(two_runs, rate=10))
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "Pay, EUR" in text
    assert "What each run brings" in text
    assert len(re.findall(r'<td class="heat-\d">', text)) == 4
    assert Pool.objects.count() == 0


def test_every_measure_has_its_matrix_and_an_unknown_one_or_preview_is_said_to_be_gone(
    client, collection, two_runs
):
    text = client.post(url("pool-preview", collection), form(two_runs)).content.decode()
    alike = re.search(r'hx-get="([^"?]+)\?measure=', text)[1]
    for measure in heatmaps.MEASURES:
        part = client.get(alike, {"measure": measure}).content.decode()
        cells = [cell.strip() for cell in re.findall(r'<td class="heat-\d">(.*?)</td>', part)]
        empty = '<span class="unseen">The run itself</span>'
        of_itself = empty if measure == "favourite" else "100"
        assert len(cells) == 4 and cells[0] == cells[3] == of_itself
    assert "kept for two minutes" in client.get(alike, {"measure": "beauty"}).content.decode()
    assert (
        "kept for two minutes"
        in client.get(url("pool-preview-state", collection, "nothing")).content.decode()
    )


def test_a_large_pool_s_price_is_counted_by_a_worker_while_the_page_asks(
    client, collection, two_runs, monkeypatch
):
    monkeypatch.setattr(preview_requests, "SYNCHRONOUS_ROWS", 3)
    with works.value_requests() as inquiries:
        waiting = client.post(url("pool-preview", collection), form(two_runs)).content.decode()
    assert "Counting" in waiting
    state = re.search(r'hx-get="([^"]+)"', waiting)[1]
    assert "Counting" in client.get(state).content.decode()
    kept.compute(inquiry=inquiries[0])
    assert "Labels to give" in client.get(state).content.decode()


def test_what_cannot_be_priced_says_why(client, collection, two_runs):
    answer = client.post(
        url("pool-preview", collection), form(two_runs, strategy="exhaustive", limit=5)
    )
    assert answer.status_code == 422
    assert "Query set: This field is required." in answer.content.decode()


def test_a_run_s_page_part_says_what_it_adds_and_leads_to_the_form(client, collection, two_runs):
    part = client.get(url("run-adds", collection, two_runs[0].pk)).content.decode()
    assert "6 new pairs, 0 judged already, 54.0 s of people" in part
    link = re.search(r'href="([^"]+)"', part)[1].replace("&amp;", "&")
    page = client.get(link)
    assert page.context["form"].strategy == "adds"
    assert page.context["form"]["runs"].value() == [two_runs[0].pk]


def test_a_hundred_runs_are_one_table_of_rows_and_the_same_number_of_queries(
    client, collection, two_runs, django_assert_max_num_queries
):
    client.post(url("pool-preview", collection), form(two_runs))
    many = [
        factories.run(collection, f"run {n}", {0: [n % 20, (n + 1) % 20, 25]}) for n in range(12)
    ]
    with django_assert_max_num_queries(60):
        text = client.post(url("pool-preview", collection), form(many)).content.decode()
    assert len(re.findall(r'<td class="heat-\d">', text)) == 144
