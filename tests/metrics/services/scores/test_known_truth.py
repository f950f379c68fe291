"""The known truth of a rehearsal: pages show it, and nothing counts it that does not name it.

The same set in a collection of people is a reference set like others.
"""

import pytest
from django.http import QueryDict

from annotate.models import Collection, Gold, QuerySet, Resolution, Role
from annotate.services.policy.costs import policy_cost
from metrics.forms.explorer import ExplorerForm
from metrics.forms.qrels import QrelsForm
from metrics.models import Observation, Score
from metrics.services.dashboard.known_truth import RightShare, known_truth
from metrics.services.downloads import lines
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from metrics.services.releases import label_files
from metrics.services.releases.manifest import collection_facts
from metrics.services.releases.manifest.label_facts import counts_entry
from metrics.services.releases.manifest.numbers import count_numbers
from metrics.services.scores import labels, query_groups
from pooling.forms.pools import PoolForm
from pooling.services.pools.checks import PoolError, check_parameters
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.questions import table_of
from tests.pages import text_of
from tests.pooling import factories

pytestmark = pytest.mark.django_db
NAMES = ("original", "truth")
GoldPair = tuple[str, str]


def rehearsal(*, is_rehearsal: bool = True) -> Collection:
    """A judged study whose set "truth" contradicts people on every pair they judged."""
    study = studies.judged_study("study", likes=0.9, is_rehearsal=is_rehearsal)
    grades = Resolution.objects.filter(collection=study).values_list(
        "pair__query__external_id", "pair__document__external_id", "grade"
    )
    truth = {(query, document): 0 if grade else 2 for query, document, grade in grades}
    studies.reference(study, truth, "truth")
    refresh.refresh(collection=study)
    return study


def names_in(text: str) -> list[str]:
    return [name for name in NAMES if name in text]


def sets_taken(study: Collection) -> dict[str, list[str]]:
    """The reference sets that each part of the product takes without being told to."""
    choices = read_choices(collection=study, viewer=None, parameters={})
    explorer = ExplorerForm(QueryDict(), collection=study, viewer=None, measures=["AP"])
    observation = Observation.objects.filter(collection=study, kind="scores").latest("pk")
    pool_form = PoolForm(None, strategy="depth-k", collection=study)
    return {
        "label sources": labels.set_names(collection=study),
        "leaderboard": choices.set_names,
        "explorer": list(explorer.references),
        "pool form": names_in(str(pool_form.fields["trusted"].choices)),
        "release": [
            entry.name for entry in collection_facts.reference_set_entries(collection=study)
        ],
        "qrels of a release": names_in(str(label_files.released_sources(collection=study))),
        "conflicts": names_in("".join(lines.conflicts(collection=study))),
        "files of scores": names_in("".join(lines.scores_per_query(collection=study, viewer=None))),
        "history of scores": names_in(str(observation.value)),
        "against people": names_in(str(table_of(study, "reference-against-people"))),
        "positives by set": names_in(str(table_of(study, "positives-by-set"))),
    }


@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_the_truth_of_a_rehearsal_is_taken_nowhere_and_a_set_of_people_everywhere(is_rehearsal):
    taken = sets_taken(rehearsal(is_rehearsal=is_rehearsal))
    expected = ["original"] if is_rehearsal else list(NAMES)
    assert taken == dict.fromkeys(taken, expected)


@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_a_pool_cannot_leave_out_what_the_truth_labels(is_rehearsal):
    values = {
        "strategy": "depth-k",
        "parameters": {"depth": 3, "trusted": "truth"},
        "query_set": None,
        "seed": 1,
    }
    study = rehearsal(is_rehearsal=is_rehearsal)
    runs = list(study.runs.filter(direction="forward"))
    if is_rehearsal:
        with pytest.raises(PoolError, match='no reference set "truth"'):
            check_parameters(collection=study, runs=runs, **values)
    else:
        assert check_parameters(collection=study, runs=runs, **values)["trusted"] == "truth"


def golds_of_a_pool(*, is_rehearsal: bool, original: dict[tuple[str, str], int]) -> set[GoldPair]:
    """Origins and documents of the golds of a pool, where all but d59 is relevant by the truth."""
    collection = factories.collection(
        n_queries=2, n_documents=60, gold_positives=2, gold_negatives=2
    )
    Collection.objects.filter(pk=collection.pk).update(is_rehearsal=is_rehearsal)
    collection.refresh_from_db()
    run = factories.run(collection, "a", {query: list(range(10)) for query in range(2)})
    if original:
        cast.reference(collection, original, "original")
    truth = {(query, f"d{number}"): 1 for query in ("q0", "q1") for number in range(10, 59)}
    cast.reference(collection, truth, "truth")
    factories.opened(collection, [run], depth=1)
    golds = Gold.objects.filter(collection=collection)
    return set(golds.values_list("origin", "pair__document__external_id"))


@pytest.mark.usefixtures("media_root")
@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_no_gold_is_a_positive_of_the_truth(is_rehearsal):
    golds = golds_of_a_pool(is_rehearsal=is_rehearsal, original={})
    assert ("reference" in {origin for origin, _ in golds}) == (not is_rehearsal)


@pytest.mark.usefixtures("media_root")
@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_random_negatives_do_not_avoid_what_the_truth_calls_positive(is_rehearsal):
    golds = golds_of_a_pool(is_rehearsal=is_rehearsal, original={("q0", "d59"): 1})
    documents = {document for origin, document in golds if origin == "random"}
    # but for q1 and d59 the truth holds every pair that no run ranks high
    assert documents and (documents == {"d59"}) == (not is_rehearsal)


@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_the_preview_promises_no_golds_of_the_truth(is_rehearsal):
    collection = cast.collection("golds", gold_positives=1, gold_negatives=1)
    Collection.objects.filter(pk=collection.pk).update(is_rehearsal=is_rehearsal)
    collection.refresh_from_db()
    cast.items(collection, "query", 1)
    cast.items(collection, "document", 1)
    cast.reference(collection, {("q0", "d0"): 1}, "truth")
    cost = policy_cost(collection.policies.get())
    assert (cost.golds > 0) == (not is_rehearsal)


@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_queries_are_not_grouped_by_the_truth(is_rehearsal):
    study = studies.study("study")
    grouping = {"is_rehearsal": is_rehearsal, "query_groups": Collection.Grouping.REFERENCE}
    Collection.objects.filter(pk=study.pk).update(**grouping)
    study.refresh_from_db()
    study.reference_sets.all().delete()
    queries = study.items.filter(side="query").values_list("external_id", flat=True)
    document = study.items.filter(side="document").first().external_id
    studies.reference(study, {(query, document): 2 for query in queries}, "truth")
    scope = labels.scope_of(query_set=QuerySet.objects.get(collection=study, direction="forward"))
    groups = query_groups.groups_of(
        collection=study, direction=scope.direction, sources=scope.sources
    )
    assert groups.n == (len(scope.sources) if is_rehearsal else 1)


def test_a_release_counts_no_difference_from_the_truth():
    study = rehearsal()
    before = counts_entry(collection=study, numbers=count_numbers(collection=study))
    study.reference_sets.filter(name="truth").delete()
    after = counts_entry(collection=study, numbers=count_numbers(collection=study))
    assert before == after


def test_who_names_the_truth_gets_it():
    study = rehearsal()
    choices = read_choices(collection=study, viewer=None, parameters={"labels": "none:truth"})
    assert (choices.errors, choices.spec.label_source) == ([], "none:truth")
    form = QrelsForm(collection=study)
    assert form.fields["label_source"].widget.names == ["original", "truth"]
    assert form.initial["label_source"] == "over:original"
    rows = table_of(study, "reference-against-people", labels="over:truth")
    assert names_in(str(rows)) == ["original", "truth"]


def test_scores_by_the_truth_are_stored_and_no_mix_of_people_and_truth():
    study = rehearsal()
    sources = Score.objects.filter(run__collection=study).values_list("label_source", flat=True)
    assert set(sources) == {"over:original", "none:original", "none:truth"}
    assert set(Score.objects.usual().values_list("label_source", flat=True)) == {
        "over:original",
        "none:original",
    }


def pages_of(client, study: Collection) -> dict[str, str]:
    """The texts of the pages that can show the known truth."""
    client.force_login(cast.member(study, Role.RESEARCHER))
    (annotator,) = study.annotators.all()
    addresses = {
        "leaderboard": "/c/study/results/leaderboard/",
        "filtered leaderboard": "/c/study/results/leaderboard/?words_from=1",
        "dashboard": "/c/study/dashboard/",
        "person": f"/c/study/dashboard/people/{annotator.pk}/",
        "explorer": "/c/study/results/explorer/",
        "explorer, asked": "/c/study/results/explorer/?truth=on",
    }
    return {name: text_of(client.get(address)) for name, address in addresses.items()}


def test_pages_of_a_rehearsal_tell_the_truth_beside_their_numbers(client):
    study = rehearsal()
    pages = pages_of(client, study)
    (first, *_) = Score.objects.by_known_truth().filter(measure="C@1").order_by("-mean")
    assert f"true {100 * first.mean:.1f}" in pages["leaderboard"]
    assert "the one that the true grades give" in pages["leaderboard"]
    assert "none stands beside these" in pages["filtered leaderboard"]
    # people are wrong on every pair
    for things in ("labels", "grades of pairs"):
        assert pages["dashboard"].count(f"known truth: 0 % of {things} right") == 1
    assert "known truth: 0 % of labels right" in pages["person"]
    assert "Known truth" in pages["explorer, asked"]
    assert "not positive" in pages["explorer, asked"]
    assert "not positive" not in pages["explorer"]


def test_pages_of_other_collections_say_nothing_of_a_truth(client):
    pages = pages_of(client, rehearsal(is_rehearsal=False))
    for words in ("nown truth", "true grade", "not positive"):
        assert [name for name, text in pages.items() if words in text] == []


def test_shares_that_are_right_are_those_of_a_recount():
    study = rehearsal()
    truth = study.reference_sets.get(name="truth")
    kept_pairs = list(study.pairs.filter(counting_judgments__isnull=False).order_by("pk"))[:3]
    for pair in kept_pairs:  # of these three the truth is what people say
        grade = 2 if pair.resolution.grade else 0
        truth.labels.filter(query=pair.query, document=pair.document).update(grade=grade)
    shares = known_truth(collection=study)
    assert (shares.labels.n_right, shares.grades.n_right) == (3, 3)
    assert shares.labels.n == study.judgments.count() == shares.grades.n


def test_a_share_of_nothing_has_no_text():
    assert RightShare(0, 0).text == ""
    assert RightShare(9, 10).text == "known truth: 90 % of labels right"
