"""Agreement by person from a database: the dashboard's numbers, and what does not count."""

from itertools import combinations

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from sklearn.metrics import cohen_kappa_score

from annotate.models import Annotator, Collection, Item, Pair, Role, Seat
from annotate.services.judging import undoing
from annotate.services.review import exclusions
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import mean_intervals
from metrics.models import Snapshot
from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.metrics import studies
from tests.metrics.services.analysis.labels.label_study import label_study
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "agreement-by-person"


@pytest.fixture
def study():
    return label_study()


def by_people(collection, **parameters):
    return {
        frozenset((row["first"], row["second"])): row
        for row in table_of(collection, NAME, **parameters)
    }


def grades_of(collection, *, whys=tuple(Seat.Why)):
    """Annotator -> pair -> grade, of labels that count."""
    seats = Seat.objects.filter(
        collection=collection, state="done", purpose__in=("label", "import"), why__in=whys
    )
    grades = {}
    for name, pair, grade in seats.values_list(
        "annotator__pseudonym", "pair", "judgment__level__grade"
    ):
        grades.setdefault(name, {})[pair] = grade
    return grades


def test_each_two_annotators_have_the_numbers_of_a_recount(study):
    rows = by_people(study)
    everything, planned = grades_of(study), grades_of(study, whys=("first", "double"))
    people = [
        pair
        for pair in combinations(sorted(everything), 2)
        if everything[pair[0]].keys() & everything[pair[1]].keys()
    ]
    assert set(rows) == set(map(frozenset, people)) and len(rows) > 4
    for first, second in people:
        row = rows[frozenset((first, second))]
        for grades, n, share in ((planned, "n", "share"), (everything, "n_all", "share_all")):
            one, other = grades.get(first, {}), grades.get(second, {})
            common = one.keys() & other.keys()
            assert row[n] == len(common)
            if common:
                n_equal = sum(one[pair] == other[pair] for pair in common)
                assert row[share] == pytest.approx(100 * n_equal / len(common))
            else:
                assert row[share] is None
        one, other = planned.get(first, {}), planned.get(second, {})
        sides = [
            [side[pair] for pair in sorted(one.keys() & other.keys())] for side in (one, other)
        ]
        if len(set(sides[0] + sides[1])) > 1:
            theirs = cohen_kappa_score(*sides, labels=[0, 1, 2])
            assert row["kappa"] == pytest.approx(theirs, abs=1e-9)
        else:
            assert row["kappa"] is None and row["weighted_kappa"] is None


@pytest.mark.parametrize("grouping", ["reference", "column"])
def test_intervals_draw_queries_and_the_groups_that_the_collection_makes_of_them(study, grouping):
    items = Item.objects.filter(collection=study, side="query").order_by("pk")
    names = {
        pk: pk // 3 if grouping == "column" else pk for pk in items.values_list("pk", flat=True)
    }
    for pk, name in names.items():
        items.filter(pk=pk).update(group=f"g{name}")
    Collection.objects.filter(pk=study.pk).update(query_groups=grouping)
    study.refresh_from_db()
    query_of_pair = dict(study.pairs.values_list("pk", "query"))
    grades, rows = grades_of(study, whys=("first", "double")), by_people(study)
    n_intervals = 0
    for first, second in map(sorted, rows):
        pairs = sorted(grades.get(first, {}).keys() & grades.get(second, {}).keys())
        is_equal = [float(grades[first][pair] == grades[second][pair]) for pair in pairs]
        (theirs,) = mean_intervals(
            np.array([is_equal]),
            are_shares=True,
            groups=Groups.of([names[query_of_pair[pair]] for pair in pairs]),
        )
        row = rows[frozenset((first, second))]
        assert [row["low"], row["high"]] == pytest.approx(list(theirs.per_cent), abs=1e-9)
        n_intervals += theirs.low is not None
    assert n_intervals > 1
    reading = answer_of(study, NAME).result.reading
    assert f"95 % intervals by {'groups' if grouping == 'column' else 'queries'};" in reading


def test_all_labels_of_a_person_sum_to_those_of_the_dashboard(study):
    refresh.refresh(collection=study)
    people = Snapshot.objects.get(collection=study, kind="people").value["people"]
    rows = by_people(study)
    assert len(people) == 6
    for person in people:
        own = [row for names, row in rows.items() if person["pseudonym"] in names]
        assert sum(row["n_all"] for row in own) == person["n_shared"]
        n_equal = sum(row["n_all"] * row["share_all"] / 100 for row in own)
        assert n_equal == pytest.approx(person["n_equal"])


def test_a_nominal_scale_has_no_weighted_kappa_and_the_direction_changes_nothing(study):
    assert any(row["weighted_kappa"] is not None for row in by_people(study).values())
    assert by_people(study, direction="reverse") == by_people(study)
    Collection.objects.filter(pk=study.pk).update(measurement="nominal")
    study.refresh_from_db()
    assert all(row["weighted_kappa"] is None for row in by_people(study).values())


def test_excluded_pairs_and_items_are_left_out_and_told(study):
    n = sum(row["n_all"] for row in by_people(study).values())
    pair = next(pair for pair in study.pairs.order_by("pk") if pair.counting_judgments.count() == 2)
    exclusions.exclude_pair(pair=pair, by=cast.member(study, Role.LEAD), reason="not to be seen")
    assert sum(row["n_all"] for row in by_people(study).values()) == n - 1
    notes = answer_of(study, NAME).result.notes
    assert notes[0] == (
        "1 pair that a lead excluded, or an item of which, is left out, with 2 labels: the "
        "dashboard's agreement holds these."
    )
    Item.objects.filter(collection=study).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    assert answer_of(study, NAME).reason.startswith("No pair has a label yet that counts")


def test_a_label_that_was_undone_counts_no_more_and_golds_never(study):
    newcomer = cast.annotator(study)
    round_ = campaigns.open_pool_round(study, cast.pairs(study, 4), name="third")
    other = cast.annotator(study)
    Seat.objects.filter(collection=study).exclude(round=round_).filter(
        state__in=("free", "held")
    ).update(state="withdrawn", leased_until=None)
    assert (studies.judge(newcomer), studies.judge(other)) == (4, 4)
    names = frozenset((newcomer.pseudonym, other.pseudonym))
    assert by_people(study)[names]["n"] == 4
    undoing.take_back(annotator=newcomer, token=newcomer.judgments.latest("pk").hand_out.token)
    assert by_people(study)[names]["n"] == 3
    Seat.objects.filter(annotator=newcomer, state="done").update(purpose="gold")
    assert names not in by_people(study)


def test_models_are_marked_and_in_no_headline(study):
    Annotator.objects.filter(collection=study, external_id="e1").update(origin="model")
    model = Annotator.objects.get(collection=study, origin="model")
    result = answer_of(study, NAME).result
    assert {name for row in result.rows for name in row[:2] if "model" in name} == {
        f"{model.pseudonym} (model)"
    }
    assert any("by models" in note for note in result.notes)
    assert "model" not in result.headline


def test_people_go_by_their_pseudonyms_alone(study):
    people = study.annotators.values_list("pseudonym", "user__username", "external_id")
    pseudonyms, *secrets = zip(*people, strict=True)
    rows = by_people(study)
    assert frozenset().union(*rows) <= set(pseudonyms)
    text = answer_of(study, NAME).result.headline + "".join(frozenset().union(*rows))
    hidden = {name for names in secrets for name in names if name}
    assert len(hidden) == 6 and not [name for name in hidden if name in text]


def test_without_two_annotators_on_a_pair_nothing_is_defined():
    empty = studies.study("empty")
    assert answer_of(empty, NAME).reason.startswith("No pair has a label yet that counts")
    studies.judge(cast.annotator(empty), n=4)
    reason = "All labels are of one annotator: it takes two on the same pairs."
    assert answer_of(empty, NAME).reason == reason
    other = cast.annotator(empty)
    own_pairs = campaigns.open_pool_round(empty, cast.pairs(empty, 2), name="apart")
    Seat.objects.filter(collection=empty).exclude(round=own_pairs).filter(
        state__in=("free", "held")
    ).update(state="withdrawn", leased_until=None, annotator=None)
    assert studies.judge(other) == 2
    assert answer_of(empty, NAME).reason.startswith("No pair has labels of two annotators yet")
    assert Pair.objects.filter(collection=empty).count() == 20


def test_the_number_of_queries_to_the_database_is_constant(study):
    counts = []
    answer_of(study, NAME)  # the links of queries to groups are read once
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            answer_of(study, NAME)
        counts.append(len(queries))
        studies.judge(cast.annotator(study), n=5)
    assert counts[0] == counts[1]
