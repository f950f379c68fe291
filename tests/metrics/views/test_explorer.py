"""The explorer: its orders of queries, results, labels, access, and number of database queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Collection, Item, Part, QuerySet, QuerySetItem, Resolution, Role
from metrics.services.explorer import disagreement as explorer_disagreement
from metrics.services.numbers import refresh
from pooling.models import PoolPair, Ranking, Run
from tests import cast, works
from tests.metrics import studies
from tests.tables.table_cleanup import module_rows

pytestmark = pytest.mark.django_db
ADDRESS = "/c/study/results/explorer/"


@pytest.fixture(scope="module")
def judged(django_db_setup, django_db_blocker):
    """A study with two judges who differ here and there, refreshed and counted: its key."""
    with module_rows(django_db_blocker):
        study = studies.judged_study("study", seeds=(1, 2), likes=0.6)
        works.compute_anew(explorer_disagreement.inquiry_of(collection=study))
        yield study.pk


@pytest.fixture
def study(client, judged):
    """The study, and a researcher signed in."""
    study = Collection.objects.get(pk=judged)
    client.force_login(cast.member(study, Role.RESEARCHER))
    return study


def explorer_page(client, status=200, **parameters):
    response = client.get(ADDRESS, parameters)
    assert response.status_code == status, response.content.decode()
    return response.context["page"]


def missing(client):
    """The id of a query of which some run misses a known positive at the top five."""
    return next(
        f"q{n}"
        for n in range(6)
        if explorer_page(client, depth=5, q=f"q{n}").query.missed_positives
    )


def walk(client, **parameters):
    """The ids of all queries in an order, by following the link to the next one."""
    page = explorer_page(client, **parameters)
    ids = [page.query.item_content.item.external_id]
    while page.query.position.next is not None:
        page = explorer_page(client, **{**parameters, "q": page.query.position.next})
        assert page.query.position.previous == ids[-1]
        ids.append(page.query.item_content.item.external_id)
    assert len(ids) == page.query.position.n_queries
    return ids


def test_the_bare_address_shows_the_first_query_with_its_runs_side_by_side(client, study):
    page = explorer_page(client)
    assert page.query.item_content.item.external_id == "q0"
    assert [column.run.name for column in page.query.columns] == ["alpha", "beta"]
    text = client.get(ADDRESS, {"depth": 5, "q": missing(client)}).content.decode()
    for part in (
        "Scores of this query",
        "text of d",
        "Known positives not at the top",
        "not in it",
    ):
        assert part in text, part


def test_results_stand_in_the_order_of_the_ranking_to_the_depth_asked_for(client, study):
    column = explorer_page(client, q="q2", depth=5).query.columns[1]
    targets = Run.objects.get(name="beta").rankings.get(source__external_id="q2").targets
    assert [result.item_content.item.pk for result in column.results] == targets[:5]
    assert [result.rank for result in column.results] == [1, 2, 3, 4, 5]


def test_documents_have_their_queries_in_the_other_direction(client, study):
    page = explorer_page(client, direction="reverse", q="d4")
    assert [column.run.name for column in page.query.columns] == ["gamma"]
    assert {result.item_content.item.side for result in page.query.columns[0].results} == {"query"}


def test_every_order_goes_once_through_all_queries_and_back(client, study):
    everything = sorted(walk(client))
    for order in ("random", "disagreed", "gained", "unjudged"):
        assert sorted(walk(client, order=order, seed=5)) == everything


def test_the_same_seed_gives_the_same_order_and_another_one_another(client, study):
    assert walk(client, order="random", seed=5) == walk(client, order="random", seed=5)
    assert walk(client, order="random", seed=5) != walk(client, order="random", seed=6)


def test_filters_leave_what_they_name_and_ranks_as_they_are(client, study):
    judged = (
        Resolution.objects.filter(collection=study, grade__isnull=False)
        .first()
        .pair.query.external_id
    )
    everything = {r.rank: r for r in explorer_page(client, q=judged).query.columns[0].results}
    checks = {
        "unjudged": lambda labels: not labels.is_judged,
        "disagreed": lambda labels: len({level.grade for level in labels.levels}) > 1,
        "differing": lambda labels: labels.is_differing,
    }
    for show, check in checks.items():
        for column in explorer_page(client, q=judged, show=show).query.columns[:1]:
            assert [r.rank for r in column.results] == [
                rank for rank, r in everything.items() if check(r.labels)
            ], show
    assert 0 < sum(checks["unjudged"](r.labels) for r in everything.values()) < len(everything)


def test_only_the_runs_chosen_are_shown_and_others_cannot_be(client, study):
    beta, gamma = Run.objects.get(name="beta"), Run.objects.get(name="gamma")
    assert [column.run for column in explorer_page(client, run=beta.pk).query.columns] == [beta]
    response = client.get(ADDRESS, {"run": gamma.pk})
    assert (
        response.status_code == 422 and "This address cannot be shown." in response.content.decode()
    )


def test_a_hidden_run_is_shown_to_who_uploaded_it_alone_and_a_retired_one_to_nobody(client, study):
    owner = cast.member(study, Role.LEAD)
    Run.objects.filter(name="beta").update(is_hidden=True, uploaded_by=owner)
    hidden = Run.objects.get(name="beta")
    assert "beta" not in client.get(ADDRESS).content.decode()
    assert client.get(ADDRESS, {"run": hidden.pk}).status_code == 422
    client.force_login(owner)
    assert [column.run.name for column in explorer_page(client).query.columns] == ["alpha", "beta"]
    Run.objects.filter(name="beta").update(retired_at=timezone.now())
    assert [column.run.name for column in explorer_page(client).query.columns] == ["alpha"]


def test_an_address_that_makes_no_sense_is_refused_in_words(client, study):
    for parameters in (
        {"depth": "7"},
        {"order": "best"},
        {"seed": "-1"},
        {"labels": "over:x"},
        {"run": "x"},
        {"q": "q" * 256},
    ):
        response = client.get(ADDRESS, parameters)
        assert response.status_code == 422, parameters
        assert "This address cannot be shown." in response.content.decode()


def test_an_unknown_query_is_not_found_and_says_so(client, study):
    for q in ("q99", "d0", "Q0"):
        assert explorer_page(client, status=404, q=q).query is None
    assert "holds no query with the id “q99”" in client.get(ADDRESS, {"q": "q99"}).content.decode()


def test_an_item_that_the_query_set_does_not_hold_stands_by_itself(client, study):
    few = QuerySet.objects.create(collection=study, name="few", direction="forward")
    QuerySetItem.objects.create(query_set=few, item=study.items.get(external_id="q0"))
    for side in ("query", "document"):
        item = Item.objects.create(collection=study, side=side, external_id=f"new {side}")
        Part.objects.create(item=item, position=0, kind="text", text=f"a late {side}")
    for direction, name, parameters in (
        ("forward", "new query", {"q": "new query"}),
        ("forward", "new query", {"search": "a late"}),  # as it is the only one
        ("forward", "q1", {"q": "q1", "queries": "few"}),
        ("reverse", "new document", {"q": "new document"}),
    ):
        response = client.get(ADDRESS, {"direction": direction, **parameters})
        page, text = response.context["page"], response.content.decode()
        assert response.status_code == 200 and page.query is None, parameters
        assert page.outside_item.item.external_id == name
        content = "text of q1" if name == "q1" else f"a late {name.split()[1]}"
        assert content in text and "does not hold it" in text and "no such query" not in text
    Item.objects.filter(external_id="new query").update(split="train")
    Item.objects.filter(external_id="new document").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    explorer_page(client, status=404, q="new query")
    explorer_page(client, status=404, q="new document", direction="reverse")


def test_a_search_lists_what_no_query_set_holds_beside_the_queries_of_the_set(client, study):
    few = QuerySet.objects.create(collection=study, name="few", direction="forward")
    QuerySetItem.objects.create(query_set=few, item=study.items.get(external_id="q0"))
    for external_id, split in (("q-new", "test"), ("q-train", "train")):
        Item.objects.create(collection=study, side="query", external_id=external_id, split=split)

    def ids(**parameters):
        results = explorer_page(client, search="q", **parameters).search_results
        return [item.external_id for item in results.items]

    assert ids() == [*(f"q{n}" for n in range(6)), "q-new"]
    assert ids(queries="few") == ["q0", "q-new"]
    assert ids(direction="reverse") == []


def test_without_a_query_set_an_item_stands_by_itself(client):
    empty = cast.collection("empty")
    Item.objects.create(collection=empty, side="query", external_id="q-new")
    client.force_login(cast.member(empty, Role.LEAD))
    text = client.get("/c/empty/results/explorer/", {"q": "q-new"}).content.decode()
    assert "There is no query set in this direction" in text and "Nothing to explore" not in text


def test_search_finds_by_id_and_by_all_words_and_one_find_is_shown_at_once(client, study):
    Part.objects.filter(item__external_id="q3").update(text="A dog and its BALL")
    Part.objects.filter(item__external_id="q4").update(text="a ball of 100% wool")
    assert [
        item.external_id for item in explorer_page(client, search="ball").search_results.items
    ] == ["q3", "q4"]
    assert explorer_page(client, search="ball dog").query.item_content.item.external_id == "q3"
    assert explorer_page(client, search="0% w").query.item_content.item.external_id == "q4"
    assert explorer_page(client, search="q5").query.item_content.item.external_id == "q5"
    assert explorer_page(client, search="d1").query is None
    assert "No query with “zebra”" in client.get(ADDRESS, {"search": "zebra"}).content.decode()
    assert len(explorer_page(client, search="q").search_results.items) == 6


def test_a_pair_leads_to_its_line_among_the_pairs_of_its_pool(client, study):
    pool = study.pools.get()
    pair = study.pairs.get(query__external_id="q1", document__external_id="d2")
    PoolPair.objects.create(pool=pool, pair=pair, best_rank=1)
    address = f"/c/study/judging/pools/{pool.pk}/pairs/?query=q1"
    assert address in client.get(ADDRESS, {"q": "q1"}).content.decode()
    assert client.get(address).status_code == 200
    assert address in client.get(ADDRESS, {"q": "d2", "direction": "reverse"}).content.decode()


def test_a_query_set_with_a_gallery_shows_its_targets_alone_and_excluded_items_never(client, study):
    few = QuerySet.objects.create(collection=study, name="few", direction="forward")
    for name, part in (
        ("q0", "source"),
        ("q2", "source"),
        ("d1", "gallery"),
        ("d5", "gallery"),
        ("d6", "gallery"),
    ):
        QuerySetItem.objects.create(
            query_set=few, item=study.items.get(external_id=name), part=part
        )
    Item.objects.filter(external_id="d6").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    page = explorer_page(client, queries="few")
    ids = [
        [result.item_content.item.external_id for result in column.results]
        for column in page.query.columns
    ]
    assert [sorted(column_ids) for column_ids in ids] == [["d1", "d5"]] * 2
    assert [[result.rank for result in column.results] for column in page.query.columns] == [
        [1, 2]
    ] * 2
    assert (page.query.position.n_queries, page.query.position.next) == (2, "q2")


def test_an_unknown_target_keeps_its_rank_and_says_that_it_is_not_here(client, study):
    row = Ranking.objects.get(run__name="alpha", source__external_id="q0")
    Ranking.objects.filter(pk=row.pk).update(targets=[-7, *row.targets[:-1]])
    column = explorer_page(client, q="q0").query.columns[0]
    assert [(result.rank, result.item_content is None) for result in column.results[:2]] == [
        (1, True),
        (2, False),
    ]
    assert "Not in this collection" in client.get(ADDRESS, {"q": "q0"}).content.decode()
    back = Ranking.objects.get(run__name="gamma", source__external_id="d0")
    Ranking.objects.filter(pk=back.pk).update(targets=[-7, *back.targets[:-1]])
    page = client.get(ADDRESS, {"q": "d0", "direction": "reverse", "show": "unjudged"})
    assert "Not in this collection" in page.content.decode()


def test_the_most_disagreed_wait_for_a_count_that_is_asked_for(client, study):
    study.kept_values.filter(kind=explorer_disagreement.KIND).delete()
    response = client.get(ADDRESS, {"order": "disagreed"})
    assert "Counting where people disagree" in response.content.decode()
    assert "This order waits for the count of differing labels." in response.content.decode()
    assert "hx-get" in client.get(f"{ADDRESS}state/").content.decode()
    works.compute_anew(explorer_disagreement.inquiry_of(collection=study))
    assert client.get(f"{ADDRESS}state/").headers["HX-Refresh"] == "true"
    assert "Counting" not in client.get(ADDRESS, {"order": "disagreed"}).content.decode()


def test_orders_by_scores_wait_for_scores(client, study):
    Run.objects.filter(direction="forward").update(state="received", finished_at=None)
    studies.run(study, "latecomer")
    assert (
        explorer_page(client, order="gained").query.position.missing_input
        == "the scores of the runs"
    )
    assert "not yet" in client.get(ADDRESS).content.decode()


def test_without_reference_runs_or_items_the_page_says_what_there_is(client):
    bare = studies.study("bare", with_runs=False)
    bare.reference_sets.all().delete()
    client.force_login(cast.member(bare, Role.LEAD))
    text = client.get("/c/bare/results/explorer/").content.decode()
    assert "No runs in this direction" in text and "Raised most" not in text
    empty = cast.collection("empty")
    client.force_login(cast.member(empty, Role.LEAD))
    assert "Nothing to explore yet" in client.get("/c/empty/results/explorer/").content.decode()


def test_ids_that_look_like_markup_or_addresses_stay_words(client, study):
    name = "<b>&q=1#x/é"
    Item.objects.filter(external_id="q1").update(external_id=name)
    page = explorer_page(client, q="q0")
    assert page.query.position.next == name
    link = client.get(ADDRESS, {"q": "q0"}).content.decode()
    assert "<b>&q" not in link and "q=%3Cb%3E%26q%3D1%23x%2F%C3%A9" in link
    assert explorer_page(client, q=name).query.item_content.item.external_id == name


def test_annotators_and_strangers_do_not_find_it(client, study):
    for person in (cast.member(study, Role.ANNOTATOR), cast.user()):
        client.force_login(person)
        for address in (ADDRESS, f"{ADDRESS}state/"):
            assert client.get(address).status_code == 404


def test_the_page_takes_as_many_queries_however_much_it_shows(client, study):
    orders = ["loaded", "random", "disagreed", "gained", "unjudged"]

    def queries(**parameters):
        client.get(ADDRESS, parameters)
        with CaptureQueriesContext(connection) as caught:
            assert client.get(ADDRESS, {"depth": 100, **parameters}).status_code == 200
        return len(caught)

    alone = Run.objects.get(name="alpha").pk
    before = {order: queries(order=order, run=alone) for order in orders}
    for seed in range(3):
        studies.run(study, f"run {seed}", seed=seed)
    refresh.refresh(collection=study)
    assert {order: queries(order=order) for order in orders} == before
    assert max(before.values()) <= 40
    assert queries(search="q") == queries(search="text") <= before["loaded"]
