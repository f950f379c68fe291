"""Queries that should be judged deeper, from the database: recounted from rankings and grades."""

import pytest

from annotate.models import Duplicate, Item, Pair, Resolution, Round
from annotate.services.policy.costs import pace, policy_cost
from annotate.services.review import exclusions
from pooling.models import Ranking, Run
from tests import cast
from tests.campaigns import open_pool_round
from tests.metrics.services.analysis.pool.pooled_study import (
    DEPTH,
    brought_by,
    people_grades,
    pooled_study,
    rankings_of,
)
from tests.metrics.services.analysis.questions import answer_of, compute_kept, table_of
from tests.pooling import factories

pytestmark = pytest.mark.django_db
NAME = "saturated-queries"


@pytest.fixture
def study(media_root):
    return pooled_study()


def expected(*runs: str) -> dict[str, tuple[int, ...]]:
    """Pairs at the edge, positives, pairs of one run, and pairs to add, of queries half full."""
    grades, rankings = people_grades(), {run: rankings_of(run) for run in runs}
    rows = {}
    for query, name in Item.objects.filter(side="query").values_list("pk", "external_id"):
        ranks = {}
        for pair in brought_by(*runs) & grades.keys():
            if pair[0] == query:
                ranks[pair] = [
                    targets[query].index(pair[1]) + 1
                    for targets in rankings.values()
                    if pair[1] in targets[query][:DEPTH]
                ]
        depth = max((min(of_pair) for of_pair in ranks.values()), default=0)
        edge = {pair for pair, of_pair in ranks.items() if min(of_pair) > 0.75 * depth}
        positive = {pair for pair in edge if grades[pair] > 0}
        near = {
            (query, target)
            for targets in rankings.values()
            for target in targets.get(query, [])[: depth + 10]
        }
        if edge and len(positive) >= len(edge) / 2:
            single = sum(len(ranks[pair]) == 1 for pair in edge)
            rows[name] = (len(edge), len(positive), single, len(near - grades.keys()))
    return rows


def rows_of(collection, **parameters) -> dict[str, tuple[int, ...]]:
    return {
        row["query"]: (
            row["n_edge"],
            row["n_positive"],
            row.get("n_single", row["n_edge"]),
            row["n_added"],
        )
        for row in table_of(collection, NAME, **parameters)
    }


def test_queries_half_full_at_the_edge_are_listed(study):
    assert rows_of(study) == expected("A", "B", "C") != {}
    result = answer_of(study, NAME).result
    assert [row[4] for row in result.rows] == sorted((row[4] for row in result.rows), reverse=True)
    seconds, is_measured = pace(collection=study)
    price = f"{seconds:.1f} seconds a judgment, the median here)"
    assert is_measured and any(price in note for note in result.notes)
    depth = max(row[2] for row in result.rows) + 10
    names = [row[0] for row in result.rows]
    assert result.next_parameters["only"] == ["\n".join(names)]
    grades, keys = people_grades(), dict(study.items.values_list("external_id", "pk"))
    near = {
        (keys[name], target)
        for name in names
        for run in "ABC"
        for target in rankings_of(run).get(keys[name], [])[:depth]
    }
    n_pool = len(near - grades.keys())
    cost = policy_cost(study.policies.get())
    hours = seconds * n_pool * cost.labels * (1 + cost.golds) / 3_600
    assert result.next_label == f"Deepen these: {n_pool:,} pairs, {hours:,.1f} h"
    assert result.next_parameters["depth"] == [str(depth)]
    assert result.next_parameters["strategy"] == ["depth-k"]
    keys = Run.objects.filter(name__in="ABC").values_list("pk", flat=True)
    assert set(result.next_parameters["runs"]) == set(map(str, keys))


def test_pairs_of_one_run_alone_have_a_share_of_their_own(study):
    grades = people_grades()
    lone = [
        pair
        for pair in brought_by("A", "B", "C") & grades.keys()
        if sum(pair in brought_by(run) for run in "ABC") == 1
    ]
    n_positive = sum(grades[pair] > 0 for pair in lone)
    share = f"{100 * n_positive / len(lone):.1f} % (95 % interval "
    headline = answer_of(study, NAME).result.headline
    assert f"; of all {len(lone):,} pairs that one run alone brought {share}" in headline
    keys = dict(study.items.values_list("external_id", "pk"))
    for row in table_of(study, NAME):
        of_query = [pair for pair in lone if pair[0] == keys[row["query"]]]
        assert row["n_all_single"] == len(of_query)
        assert row["n_single_positive"] == sum(grades[pair] > 0 for pair in of_query)


def test_some_of_the_pooled_runs_are_said_to_be_the_chosen_ones(study):
    runs = {run.name: run.pk for run in Run.objects.all()}
    answer = answer_of(study, NAME, run=[runs["A"], runs["B"], runs["D"]]).result
    pairs = [pair for pair in brought_by("A", "B") if pair in people_grades()]
    lone = [pair for pair in pairs if (pair in brought_by("A")) != (pair in brought_by("B"))]
    origin = "one alone of the 2 chosen pooled runs"
    assert f"; of all {len(lone):,} pairs that {origin} brought " in answer.headline
    assert any(f"at the edge that {origin} brought, " in note for note in answer.notes)
    assert (
        "1 more run is pooled and not chosen: the pairs are of the chosen ones, whether it brought "
        "them too or not."
    ) in answer.notes
    titles = [column.title for column in answer.columns if "alone" in column.title]
    assert titles == ["Of one chosen run alone there", "Graded pairs of one chosen run alone"]


def test_of_a_single_run_nothing_is_said_of_pairs_of_one_run_alone(study):
    result = answer_of(study, NAME, run=[Run.objects.get(name="A").pk]).result
    sentences = [result.headline, result.reading, *result.notes]
    sentences += [column.title for column in result.columns]
    assert not any("alone" in sentence or "several" in sentence for sentence in sentences)
    assert {"n_single", "n_all_single", "n_single_positive"}.isdisjoint(
        column.key for column in result.columns
    )
    assert all(len(row) == len(result.columns) for row in result.rows) and result.rows
    start = "2 more runs are pooled and not chosen: "
    assert any(note.startswith(start) for note in result.notes)


def test_the_button_sends_the_listed_queries_and_the_form_prices_them_alone(study, client):
    client.force_login(cast.member(study, "researcher"))
    compute_kept(study, NAME)
    page = client.get(f"/c/{study.slug}/results/analysis/pool/{NAME}/").content.decode()
    result = answer_of(study, NAME).result
    assert result.next_label in page and 'name="prefill" value="1"' in page
    address = f"/c/{study.slug}/judging/pools/new/"
    assert f'<form method="post" action="{address}">' in page
    form = client.post(address, {**result.next_parameters, "prefill": "1"}).context["form"]
    assert form["only"].value() == result.next_parameters["only"][0] and not form.errors
    values = {field.html_name: field.value() for field in form if field.value() not in (None, "")}
    preview = client.post(
        f"/c/{study.slug}/judging/pools/preview/", values | {"strategy": "depth-k"}
    )
    n_pool = int(result.next_label.split()[2].replace(",", ""))
    assert preview.context["preview"].n_new == n_pool
    assert not study.query_sets.filter(name__startswith="preview").exists()
    answer = client.post(address, values | {"strategy": "depth-k", "name": "deeper"})
    assert answer.status_code == 302
    pool = study.pools.get(name="deeper")
    members = pool.query_set.members.values_list("item__external_id", flat=True)
    assert pool.query_set.name == "deeper" and set(members) == {row[0] for row in result.rows}


def test_only_the_chosen_runs_have_an_edge(study):
    runs = {run.name: run.pk for run in Run.objects.all()}
    assert rows_of(study, run=[runs["A"]]) == expected("A")
    answer = answer_of(study, NAME, run=[runs["D"]])
    assert answer.reason == "None of these runs is in an opened pool: choose a run that is."


def test_an_excluded_query_is_not_listed(study):
    lead = cast.member(study, "lead")
    name = next(iter(expected("A", "B", "C")))
    exclusions.exclude_item(
        item=study.items.get(side="query", external_id=name), by=lead, reason="Blank"
    )
    assert name not in rows_of(study)


def test_propagated_grades_are_not_counted_and_their_pairs_not_added(study):
    before, grades = expected("A", "B", "C"), people_grades()
    for query, name in Item.objects.filter(side="query").values_list("pk", "external_id"):
        near = {target for run in "ABC" for target in rankings_of(run)[query][: DEPTH + 10]}
        ungraded = sorted(target for target in near if (query, target) not in grades)
        graded = sorted(target for target in near if (query, target) in grades)
        if name in before and ungraded:
            break
    Duplicate.objects.create(
        collection=study, item_id=ungraded[0], original_id=graded[0], side="document"
    )
    after = rows_of(study)
    assert after[name][3] == before[name][3] - 1


def test_pairs_that_a_lead_left_out_are_not_to_be_added(study):
    before, grades, lead = expected("A", "B", "C"), people_grades(), cast.member(study, "lead")
    name = next(name for name, row in before.items() if row[3])
    query = study.items.get(side="query", external_id=name)
    near = {target for run in "ABC" for target in rankings_of(run)[query.pk][: DEPTH + 10]}
    document = min(target for target in near if (query.pk, target) not in grades)
    pair, _ = Pair.objects.get_or_create(collection=study, query=query, document_id=document)
    exclusions.exclude_pair(pair=pair, by=lead, reason="Blank")
    assert rows_of(study)[name][3] == before[name][3] - 1


def test_pairs_that_wait_in_an_open_pool_are_not_to_be_added_again(study):
    result = answer_of(study, NAME).result
    n_pool = int(result.next_label.split()[2].replace(",", ""))
    assert n_pool > 3 and not any("wait" in note for note in result.notes)
    (depth,) = map(int, result.next_parameters["depth"])
    names = [row[0] for row in result.rows]
    grades, queries = people_grades(), study.items.filter(side="query", external_id__in=names)
    near = {
        (query, target)
        for query in queries.values_list("pk", flat=True)
        for run in "ABC"
        for target in rankings_of(run)[query][:depth]
    }
    unlabelled_pairs = [
        Pair.objects.get_or_create(collection=study, query_id=query, document_id=target)[0]
        for query, target in sorted(near - grades.keys())
    ]
    assert len(unlabelled_pairs) == n_pool
    round_ = open_pool_round(study, unlabelled_pairs)
    result = answer_of(study, NAME).result
    assert (result.next_label, result.next_parameters) == ("", {})
    assert {row[-1] for row in result.rows} == {0}
    assert any(
        note.startswith("Nothing is left to pool down to 10 ranks below the deepest of these")
        and note.endswith(f"{n_pool} pairs there wait for labels in an open pool.")
        for note in result.notes
    )
    # pairs of which it wants no labels any more can be asked about again
    three = round_.round_pairs.filter(pair__in=unlabelled_pairs[:3])
    three.update(dropped_at="2026-01-01T00:00Z")
    result = answer_of(study, NAME).result
    assert result.next_label.startswith("Deepen these: 3 pairs, ")
    assert (
        f"{n_pool - 3} further pairs there wait in an open pool already, and are not counted."
        in result.notes
    )
    Round.objects.filter(pk=round_.pk).update(state="closed", closed_at="2026-01-01T00:00Z")
    result = answer_of(study, NAME).result
    assert result.next_label.startswith(f"Deepen these: {n_pool} pairs, ")
    assert not any("wait in" in note for note in result.notes)


def test_a_deeper_pool_moves_no_edge_before_it_is_judged(study):
    """Some graded pairs are in it at deeper ranks of other runs, which nobody judged down to."""
    before = {row["query"]: (row["depth"], row["n_edge"]) for row in table_of(study, NAME)}
    runs = list(Run.objects.filter(name__in="ABC"))
    pool = factories.opened(study, runs, name="deeper", depth=12)
    assert pool.round.round_pairs.filter(pair__resolution__grade__isnull=False).exists()
    after = {row["query"]: (row["depth"], row["n_edge"]) for row in table_of(study, NAME)}
    assert after == before != {}
    result = answer_of(study, NAME).result
    assert result.next_label == ""
    assert any(note.startswith("Nothing is left to pool down to") for note in result.notes)


def test_labels_of_other_pairs_are_no_edge(study):
    Resolution.objects.filter(grade__isnull=False).update(grade=0)
    result = answer_of(study, NAME).result
    assert result.rows == []
    Ranking.objects.filter(run__name__in="ABC").delete()
    reason = answer_of(study, NAME).reason
    assert reason == "No pair that these runs brought to a pool has a grade by people yet."
