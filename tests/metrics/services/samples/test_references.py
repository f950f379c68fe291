"""A leaderboard over a sampled reference set: its undrawn pairs are treated as a pool's."""

import html

import pytest

from annotate.models import Collection, ReferenceLabel, Role, Undrawn
from annotate.services.collection.query_sets import complete_query_sets
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of
from tests.pooling import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Three queries, two runs.

    Of d0 to d7 the reference drew d0, which is relevant, and d1; d4 to d7 it left.
    """
    collection = factories.collection(3, 12, batch_candidates=500)
    complete_query_sets(collection=collection)
    collection.query_groups = Collection.Grouping.NONE
    collection.save()
    for name, ranking in (("a", [0, 1, 8, 4, 5]), ("b", [1, 0, 9, 10, 11])):
        factories.run(collection, name, dict.fromkeys(range(3), ranking))
    labels = {(f"q{q}", f"d{d}"): int(d == 0) for q in range(3) for d in (0, 1)}
    sampled = cast.reference(collection, labels, name="sampled")
    ReferenceLabel.objects.filter(reference_set=sampled).update(stratum=1)
    cast.reference(collection, labels, name="whole")
    for query in collection.items.filter(side="query"):
        for d in range(4, 8):
            document = collection.items.get(external_id=f"d{d}")
            Undrawn.objects.create(reference_set=sampled, query=query, document=document, stratum=1)
    refresh.refresh(collection=collection)
    return collection


def board_of(collection, labels, measures="C@1 P@3 P@4 RBP(p=0.5) AP nDCG@10 Judged@10"):
    spec = read_choices(
        collection=collection, viewer=None, parameters={"labels": labels, "measures": measures}
    ).spec
    boards.compute(collection=collection, spec=spec)
    value = boards.find(collection=collection, spec=spec).value
    (forward,) = [side for side in value["directions"] if side["runs"]]
    return forward


@pytest.mark.parametrize("labels", ["none:sampled", "over:sampled", "union:sampled,whole"])
def test_measures_whose_ranks_it_did_not_draw_are_marked_and_decide_nothing(study, labels):
    forward = board_of(study, labels)
    assert forward["undrawn"] == {"pools": [], "sets": ["sampled"], "n": 12, "n_waiting": 0}
    kinds = {measure["name"]: measure["kind"] for measure in forward["measures"]}
    exact = ("C@1", "P@3", "Judged@10")
    assert kinds == {name: "exact" if name in exact else "not estimable" for name in kinds}
    for measure in forward["measures"]:
        assert (measure["decided"]["why"] == "") == (measure["name"] in exact)
        assert measure["name"] in exact or {cell["low"] for cell in measure["cells"]} == {None}


def test_the_usual_measures_are_not_taken_from_what_is_stored(study):
    forward = board_of(study, "over:sampled", measures="")
    kinds = {measure["name"]: measure["kind"] for measure in forward["measures"]}
    assert (kinds["C@1"], kinds["AP"], kinds["nDCG@10"]) == (
        "exact",
        "not estimable",
        "not estimable",
    )


@pytest.mark.parametrize("labels", ["none:whole", "over:whole", "only"])
def test_a_source_without_it_is_untouched(study, labels):
    forward = board_of(study, labels)
    assert forward["undrawn"] is None
    assert {measure["kind"] for measure in forward["measures"]} == {"exact"}


def test_another_set_that_labels_what_it_left_makes_all_exact(study):
    for name, documents in (("most", range(4, 7)), ("last", [7])):
        cast.reference(
            study, {(f"q{q}", f"d{d}"): 0 for q in range(3) for d in documents}, name=name
        )
    assert board_of(study, "none:sampled,most")["undrawn"]["n"] == 3
    forward = board_of(study, "none:sampled,most,last")
    assert forward["undrawn"] is None
    assert {measure["kind"] for measure in forward["measures"]} == {"exact"}


def test_the_pages_name_it(study, client):
    client.force_login(cast.member(study, Role.RESEARCHER))
    board_of(study, "none:sampled", measures="AP")
    parameters = {"labels": "none:sampled", "measures": "AP"}
    page = html.unescape(text_of(client.get(f"/c/{study.slug}/results/leaderboard/", parameters)))
    assert (
        "Reference “sampled” is a sample: 12 pairs of these queries were not drawn. Marked †"
        in page
    )
    assert (
        "evaluate infers AP and nDCG from files" in page
        and "P@k and RBP are estimated where" not in page
    )
    compare, of_pair = f"/c/{study.slug}/results/leaderboard/compare/", {"measure": "AP"}
    pair = client.get(compare, parameters | of_pair, follow=True)
    assert pair.status_code == 200
    spec = read_comparison(collection=study, viewer=None, parameters=parameters | of_pair).spec
    boards.compute(collection=study, spec=spec)
    pair = text_of(client.get(compare, parameters | of_pair, follow=True))
    assert (
        "AP counts as irrelevant what reference “sampled” did not draw, so the two are not compared"
        in pair
    )
    downloads = text_of(client.get(f"/c/{study.slug}/results/downloads/"))
    assert "Reference “sampled” is a sample: the scores a query count" in " ".join(
        downloads.split()
    )
