"""The headline alpha is of labels requested whatever other labels the pair has.

Alpha of all labels is separate. To see these tests fail: order `grades` in count_sql by number
alone, let numbers take `grades[:2]` for the planned ones, or let label_rows call every label
planned.
"""

import re
from collections import Counter

import krippendorff
import numpy as np
import pytest

from annotate.models import Kept, Role, Seat
from annotate.services import seating
from annotate.services.background import kept
from metrics.core.agreement.agreement import MeasurementLevel
from metrics.models import Alarm, AlarmEvent, Observation, Snapshot, Tally
from metrics.services.dashboard import dashboard
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.agreement_page import agreement_of
from metrics.services.numbers import alarms, history, numbers, refresh
from tests import cast
from tests.metrics import studies
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Two planned labels a pair, and a third one where they differ."""
    return studies.judged_study("study", seeds=range(3))


def of(study):
    return Snapshot.objects.get(collection=study, kind="agreement").value


def by_krippendorff(study, **seats):
    """Alpha of the labels of some seats, ordinal."""
    rows = Seat.objects.filter(collection=study, purpose="label", state="done", **seats)
    triples = list(rows.values_list("pair", "annotator", "judgment__level__grade"))
    pairs, people = ({row[at] for row in triples} for at in (0, 1))
    table = np.full((len(people), len(pairs)), np.nan)
    for pair, annotator, grade in triples:
        table[sorted(people).index(annotator), sorted(pairs).index(pair)] = grade
    return krippendorff.alpha(table, level_of_measurement="ordinal", value_domain=[0, 1, 2])


def ask_why(study, whys, **seats):
    """Change why some labels were requested, and refresh."""
    rows = Seat.objects.filter(collection=study, purpose="label", **seats)
    rows.update(why=whys)
    seating.note_changes(collection_id=study.pk, pair_ids=list(rows.values_list("pair", flat=True)))
    refresh.refresh(collection=study)


def test_the_headline_is_krippendorffs_alpha_of_planned_labels_and_beside_it_stands_that_of_all(
    study,
):
    planned, everything = (of(study)[labels]["ordinal"] for labels in ("planned", "all"))
    assert planned["value"] == pytest.approx(
        by_krippendorff(study, why__in=("first", "double")), abs=1e-12
    )
    assert everything["value"] == pytest.approx(by_krippendorff(study), abs=1e-12)
    assert planned["value"] != everything["value"]
    assert planned["n_pairable_units"] == everything["n_pairable_units"] == 18
    assert planned["n_pairable_labels"] == 36 < everything["n_pairable_labels"]
    for alpha in (planned, everything):
        assert alpha["low"] < alpha["value"] < alpha["high"] and alpha["n_groups"] == 6


def test_planned_labels_are_those_asked_for_so_whatever_the_numbers_of_their_seats(study):
    """As if a first label was withdrawn, and its replacement or a third came before the double."""
    ask_why(study, "top-up", number=1)
    ask_why(study, "double", number=3)
    keys = Counter()
    for key, n in Tally.objects.filter(collection=study, key__startswith="given ").values_list(
        "key", "n"
    ):
        _, n_planned, *grades = key.split(" ")
        keys[int(n_planned), len(grades)] += n
    n_thirds = Seat.objects.filter(collection=study, state="done", number=3).count()
    assert keys == {(1, 2): 18 - n_thirds, (2, 3): n_thirds} and n_thirds > 3
    planned = of(study)["planned"]["ordinal"]
    assert planned["value"] == pytest.approx(by_krippendorff(study, number__in=[2, 3]), abs=1e-12)
    assert planned["n_pairable_units"] == n_thirds
    percent = of(study)["percent"]
    assert (percent["planned"]["n_units"], percent["all"]["n_units"]) == (n_thirds, 18)
    live = studies.numbers(study)
    refresh.rebuild(collection=study)
    assert studies.numbers(study) == live


def test_without_two_planned_labels_of_a_pair_there_is_no_headline_and_the_page_says_what_to_do(
    client, study
):
    alarms.set_alarm(
        collection=study, kind=Alarm.Kind.ALPHA, below=0.9, n_at_least=1, by=cast.user()
    )
    assert len(alarms.raising_events(collection=study)) == 1
    ask_why(study, "disagreement", number=2)
    value = of(study)
    assert (
        value["planned"]["ordinal"]["value"] is None
        and value["all"]["ordinal"]["value"] is not None
    )
    assert alarms.raising_events(collection=study) == []
    assert AlarmEvent.objects.get(kind="fell").value is None
    client.force_login(cast.member(study, Role.LEAD))
    page = text_of(client.get("/c/study/dashboard/agreement/"))
    assert 'not defined yet<span class="under">no pair has two planned labels yet</span>' in page
    assert "let it double a share of a pool&#x27;s pairs, or want two labels of each" in page
    assert "conventional" not in page and "by convention" not in page


def test_parts_are_of_planned_labels_but_those_by_number_of_labels_of_all(study):
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    value = Kept.objects.get(collection=study, kind=dashboard_details.KIND).value
    (pool,) = value["by_pool"]
    assert pool["alpha"]["ordinal"]["value"] == of(study)["planned"]["ordinal"]["value"]
    assert np.sum(value["by_level"]["together"]) == pytest.approx(36)
    assert {row["key"]: row["n_pairs"] for row in value["by_size"]} == Counter(
        Counter(
            Seat.objects.filter(collection=study, state="done").values_list("pair", flat=True)
        ).values()
    )


MARKS = [
    (
        0.8,
        "At least 0.8, by convention the mark for conclusions: the interval's lower end is 0.80",
    ),
    (
        0.79994,
        "At least 0.667, by convention the mark for tentative conclusions; not shown to reach 0.8",
    ),
    (0.667, "At least 0.667"),
    (
        0.66704,
        (
            "At least 0.667, by convention the mark for tentative conclusions; not shown to reach "
            "0.8: the interval's lower end is 0.667"
        ),
    ),
    (
        0.66696,
        (
            "Not shown to reach 0.667, by convention the mark for tentative conclusions: the "
            "interval's lower end is 0.66"
        ),
    ),
    (None, "Without an interval nothing is said of the conventional marks, 0.667 and 0.8."),
]


@pytest.mark.parametrize(("low", "words"), MARKS)
def test_conventional_marks_are_stated_by_the_intervals_lower_end_and_n_whatever_alpha_itself_is(
    study, low, words
):
    value = of(study)
    value["planned"]["nominal"] |= {
        "value": 0.95,
        "low": low,
        "high": 1.0,
        "n_pairable_units": 1230,
        "n_groups": 41,
    }
    verdict = agreement_of(value, "nominal").mark_text
    assert verdict.startswith(words)
    if low is not None:
        assert verdict.endswith(", on 1,230 pairs with two planned labels or more, of 41 queries.")


def test_marks_that_a_lead_sets_are_those_of_the_dashboard_at_once(client, study):
    client.force_login(cast.member(study, Role.LEAD))
    before = client.get("/c/study/dashboard/numbers/")["ETag"]
    client.post("/c/study/settings/alpha-marks/", {"tentative": "0.1", "firm": "0.95"})
    assert client.get("/c/study/dashboard/numbers/")["ETag"] != before
    assert "the interval is not yet above 0." in text_of(client.get("/c/study/dashboard/"))
    assert re.search(
        r"(Not shown to reach 0\.1|At least 0\.1|At least 0\.95), the mark of this collection",
        text_of(client.get("/c/study/dashboard/agreement/")),
    )


def test_the_sentence_of_the_marks_stands_under_the_table(client, study):
    client.force_login(cast.member(study, Role.LEAD))
    page = text_of(client.get("/c/study/dashboard/agreement/"))
    assert (
        "Not shown to reach 0.667" in page
        and "on 18 pairs with two planned labels or more, of 6 queries." in page
    )


def test_a_point_of_the_history_keeps_alpha_of_planned_and_of_all_labels(study):
    (point,) = studies.observations(study, "agreement")
    value = of(study)
    for labels in ("planned", "all"):
        assert point.value[labels]["ratio"]["low"] == value[labels]["ratio"]["low"]
    assert history.alphas_of(point) == point.value


def test_points_of_before_are_of_all_labels_and_never_join_the_headlines_line(study):
    old = {
        str(level): {"value": 0.25, "low": 0.1, "high": 0.4, "n_pairable_units": 9}
        for level in MeasurementLevel
    }
    Observation.objects.create(collection=study, kind="agreement", n_judgments=1, value=old)
    Observation.objects.create(collection=study, kind="agreement", n_judgments=0, value={})
    options = dashboard.DashboardOptions("ordinal")
    state = dashboard.state_of(collection=study, options=options)
    chart = dashboard.dashboard(collection=study, options=options, state=state).alpha_chart
    before, now = chart.rows
    assert before == [1, "", "", "", "0.250"]
    alpha_values = [of(study)["planned"]["ordinal"][name] for name in ("value", "low", "high")]
    assert now[1:] == [f"{n:.3f}" for n in (*alpha_values, of(study)["all"]["ordinal"]["value"])]


# A world in which third labels are asked for on disagreement

EASY, HARD = 0.04, 0.35  # how often a label of such a pair is wrong
N_QUERIES, A_QUERY = 1_000, 20


def world(seed):
    """Labels of pairs: two planned ones each, and a third one where they differ.

    Returns also the true alpha of two labels each.
    """
    rng = np.random.default_rng(seed)
    is_positive, is_hard = rng.random((2, N_QUERIES * A_QUERY)) < [[0.3], [0.3]]
    wrong = np.where(is_hard, HARD, EASY)
    votes = (rng.random((3, len(wrong))) < np.where(is_positive, 1 - wrong, wrong)).astype(int).T
    kinds = [
        (p * h, 1 - e if t else e)
        for t, p in ((1, 0.3), (0, 0.7))
        for e, h in ((HARD, 0.3), (EASY, 0.7))
    ]
    share, chance = np.array(kinds).T  # of the kinds of pairs, and that a label of such a pair is 1
    differ, chance_of_1 = share @ (2 * chance * (1 - chance)), share @ chance
    return votes, float(1 - differ / (2 * chance_of_1 * (1 - chance_of_1)))


def summary_of(votes):
    """The summary of the tallies of such labels."""
    rows = [
        (2, *row[: 2 + (row[0] != row[1])], at // A_QUERY) for at, row in enumerate(votes.tolist())
    ]
    pair_counts = Counter(row[:-1] for row in rows)
    several = {kind: Counter(row[-1] for row in rows if row[:-1] == kind) for kind in pair_counts}
    return {
        "measurement": "nominal",
        "drawn": "queries",
        "domain": [0, 1],
        "given": sorted([n_planned, grades, n] for (n_planned, *grades), n in pair_counts.items()),
        "several": [
            {"n_planned": n_planned, "grades": grades, "groups": [*where], "n": [*where.values()]}
            for (n_planned, *grades), where in sorted(several.items())
        ],
    }


@pytest.mark.parametrize("seed", range(3))
def test_third_labels_on_disagreement_lift_alpha_of_all_labels_and_leave_the_headline_true(seed):
    votes, truth = world(seed)
    value = numbers.compute("agreement", summary_of(votes)).value
    planned, everything = value["planned"]["nominal"], value["all"]["nominal"]
    error = (planned["high"] - planned["low"]) / 4  # about a standard error
    assert abs(planned["value"] - truth) < 3 * error
    assert everything["low"] > truth and everything["value"] - truth > 4 * error
