"""The page of plans, and the leaderboard and a pool's page with and without a plan."""

import numpy as np
import pytest

from annotate.models import Annotator, QuerySet, QuerySetItem, Role
from metrics.models import Plan
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.plans import plans
from metrics.services.pool_bias import study as pool_bias
from tests import cast, works
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of
from tests.pooling import factories

pytestmark = pytest.mark.django_db
PLAN = "/c/study/results/leaderboard/plan/"
BOARD = "/c/study/results/leaderboard/"


@pytest.fixture
def study(client):
    study = studies.judged_study(
        "study", n_queries=12, n_documents=15, n=4, labels_per_pair=1, double_share="0"
    )
    client.force_login(cast.member(study, Role.LEAD))
    return study


def form(study, **fields):
    return {
        "measure": "AP",
        "query_set": study.query_sets.get(direction="forward").pk,
        "label_source": "over:original",
        "threshold": 1,
        "method": "randomized-tukey",
        "alpha": 0.05,
        "looks": "25 50 100",
        **fields,
    }


def look(study):
    plan = plans.active_plan(collection=study)
    n = plan.looks[0] - plans.n_judged(query_set=plan.query_set)
    studies.judge(Annotator.objects.get(collection=study), n=n, seed=3)
    return plans.take_look(plan=plan)


def board(client, study, **parameters):
    """The leaderboard's page, with its view computed."""
    spec = read_choices(collection=study, viewer=None, parameters=parameters).spec
    boards.compute(collection=study, spec=spec)
    return text_of(client.get(BOARD, parameters))


def test_a_lead_fixes_a_plan_reads_it_and_ends_it(client, study):
    progress_text = (
        "“all”, query to document: 4 of 36 pairs wanted are judged; 25 % is 9, 50 % is 18,"
    )
    assert progress_text in client.get(PLAN).content.decode()
    assert client.post(PLAN, form(study)).status_code == 302
    plan = Plan.objects.get()
    assert (plan.looks, plan.n_judged, plan.alpha) == ([9, 18, 36], 4, 0.05)
    page = client.get(PLAN).content.decode()
    assert (
        "AP of 2 runs over query set “all”, query to document, with people over reference "
        "“original”" in page
    )
    assert "Randomized Tukey; alpha .05 for all tests together." in page
    assert (
        "No planned test is done yet: nothing is confirmed. The next planned test is at 9 judged "
        "pairs; there are 4." in page
    )
    assert "Fix a plan" not in page
    assert "End it, without 3 planned tests to come" in page
    assert "3 planned tests to come would be lost." in page
    assert "nothing would be confirmed" in page and "It cannot be taken back; another plan" in page
    look(study)
    page = client.get(PLAN).content.decode()
    assert "End it, without 2 planned tests to come" in page
    assert "What 1 planned test decided stays." in page
    assert (
        "Planned test 1 of 3 (at 9 judged pairs, level .00071) decided 0 of 1 pair of runs." in page
    )
    assert "alpha ? beta" in page or "beta ? alpha" in page
    assert client.post(f"{PLAN}{plan.pk}/end/").status_code == 302
    page = client.get(PLAN).content.decode()
    assert "Fix a plan" in page and "Earlier plan: AP" in page and "Planned test 1 of 3" in page


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"measure": "MedR"}, "is a median"),
        ({"measure": "Judged@10"}, "is about what is judged, not about how good a run is"),
        ({"looks": "50 25"}, "that go up"),
        ({"looks": "25 fifty"}, "that go up"),
        ({"looks": "50 101"}, "that go up"),
        ({"looks": "10 100"}, "The first test is at 4 judged pairs"),
        ({"alpha": 0.5}, "less than or equal to 0.2"),
        ({"method": "newman-keuls"}, "Select a valid choice"),
        ({"query_set": 0}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_fixed_is_told(client, study, fields, why):
    answer = client.post(PLAN, form(study, **fields))
    assert answer.status_code == 422 and why in answer.content.decode()
    assert not Plan.objects.exists()


def test_a_leaderboard_without_a_plan_is_exploratory(client, study):
    page = board(client, study)
    assert "Exploratory: differences at this moment, query to document" in page
    assert "Confirmatory" not in page and "ecided" not in page.replace(
        "A plan fixed beforehand</a> decides", ""
    )
    assert f'<a href="{PLAN}">A plan fixed beforehand</a>' in page


def test_a_leaderboard_that_shows_what_the_plan_names_says_what_it_decided(client, study):
    client.post(PLAN, form(study))
    assert "Confirmatory: AP, query to document" in board(client, study)
    assert "nothing is confirmed" in board(client, study)
    look(study)
    page = board(client, study)
    assert (
        "Planned test 1 of 3 (at 9 judged pairs, level .00071) decided 0 of 1 pair of runs." in page
    )
    assert page.count("Confirmatory: AP") == 1  # not in the other direction
    assert page.index("Confirmatory: AP") < page.index("Exploratory: differences at this moment")
    for other in ({"measures": "P@5"}, {"labels": "only"}, {"threshold": "2"}):
        assert "Confirmatory" not in board(client, study, **other)


def test_a_researcher_reads_what_was_decided_and_is_offered_no_plan(client, study):
    client.post(PLAN, form(study))
    client.force_login(cast.member(study, Role.RESEARCHER))
    page = board(client, study)
    assert (
        "Confirmatory: AP" in page
        and "A plan that a lead fixes beforehand decides." in page
        and PLAN not in page
    )


def test_a_pool_s_page_says_stop_only_by_a_plan(client, media_root, monkeypatch):
    monkeypatch.setattr(pool_bias, "LOOK_BACKS", (2,))
    monkeypatch.setattr("metrics.services.pool_bias.page.ADVICE_STEP", 2)
    monkeypatch.setattr("metrics.services.pool_bias.page.LEAST_LABELS", 3)
    rng = np.random.default_rng(7)
    collection = factories.collection(5, 30, batch_candidates=500)
    lead = cast.member(collection, Role.LEAD)
    runs = [
        factories.run(collection, name, {q: rng.permutation(30)[:12].tolist() for q in range(5)})
        for name in "AB"
    ]
    pool = factories.opened(collection, runs, depth=3)
    query_set = QuerySet.objects.create(collection=collection, name="all", direction="forward")
    queries = collection.items.filter(side="query")
    QuerySetItem.objects.bulk_create(
        QuerySetItem(query_set=query_set, item=item) for item in queries
    )
    terms = {"measure": "AP", "label_source": "only", "method": "tukey", "alpha": 0.05}
    terms["threshold"] = collection.positive_from
    plan = plans.fix_plan(collection=collection, by=lead, query_set=query_set, looks=[50], **terms)
    studies.judge(cast.annotator(collection), seed=1)
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    client.force_login(lead)

    def page(measure):
        address = f"/c/{collection.slug}/judging/pools/{pool.pk}/favours/"
        return text_of(client.get(address, {"measure": measure}))

    assert "Exploratory: <strong>the last 2 labels" in page("AP")
    assert (
        "Confirmatory, over query set “all”: No planned test is done yet: nothing is confirmed."
        in page("AP")
    )
    plans.take_look(plan=plan)
    assert "Confirmatory, over query set “all”: Planned test 1 of 1" in page("AP")
    assert "is no reason to stop" in page("nDCG@10") and "Confirmatory" not in page("nDCG@10")
    plans.end_plan(plan=plan)
    reverse = QuerySet.objects.create(collection=collection, name="all", direction="reverse")
    Plan.objects.create(
        collection=collection, query_set=reverse, looks=[9], runs=[], n_judged=0, **terms
    )
    assert "is no reason to stop" in page("AP") and "Confirmatory" not in page("AP")
