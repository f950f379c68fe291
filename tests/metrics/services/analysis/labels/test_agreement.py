"""Coefficients of agreement and alpha as labels came, from a database."""

import krippendorff
import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Annotator, Collection, Gold, Item, Role, Seat
from annotate.services.judging import undoing
from annotate.services.review import exclusions
from tests import campaigns, cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments
from tests.metrics import studies
from tests.metrics.services.analysis.labels.label_study import label_study
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
COEFFICIENTS, CURVE = "agreement-coefficients", "alpha-as-labels-came"


@pytest.fixture
def study():
    return label_study()


def coefficients_of(collection, **parameters):
    """(labels, coefficient) -> row."""
    rows = table_of(collection, COEFFICIENTS, **parameters)
    return {(row["labels"], row["coefficient"]): row for row in rows}


def labels_of(collection, whys=tuple(Seat.Why)):
    """Pair, annotator and grade of the labels that count, in the order of their judgments."""
    seats = Seat.objects.filter(
        collection=collection, state="done", purpose__in=("label", "import"), why__in=whys
    )
    columns = ("pair", "annotator", "judgment__level__grade")
    return list(seats.order_by("judgment").values_list(*columns))


def their_alpha(labels, level="ordinal"):
    people, pairs = sorted({row[1] for row in labels}), sorted({row[0] for row in labels})
    table = np.full((len(people), len(pairs)), np.nan)
    for pair, annotator, grade in labels:
        table[people.index(annotator), pairs.index(pair)] = grade
    return krippendorff.alpha(table, level_of_measurement=level, value_domain=[0, 1, 2])


def answer_golds(study, n, n_right):
    """Make golds of answered pairs: the answers of one annotator to n, of which n_right right."""
    seats = list(
        Seat.objects.filter(collection=study, state="done", purpose="label").order_by("pk")
    )
    annotator = seats[0].annotator
    seats = [seat for seat in seats if seat.annotator == annotator][:n]
    for number, seat in enumerate(seats):
        grade = seat.judgment.level.grade
        truth = grade if number < n_right else 2 * (grade == 0)
        Gold.objects.create(
            collection=study, pair=seat.pair, grade=truth, is_positive=truth > 0, origin="curated"
        )
    Seat.objects.filter(pk__in=[seat.pk for seat in seats]).update(purpose="gold")


def test_alpha_is_that_of_a_recount_for_planned_labels_and_for_all(study):
    rows = coefficients_of(study)
    planned, whole = labels_of(study, ("first", "double")), labels_of(study)
    assert len(planned) < len(whole)
    for name, labels in (("Planned labels", planned), ("All labels", whole)):
        for level in ("ordinal", "nominal"):
            row = rows[name, f"Krippendorff's alpha, {level}"]
            assert row["value"] == pytest.approx(their_alpha(labels, level), abs=1e-9)
            assert row["low"] < row["value"] < row["high"]
        pairs = [pair for pair, *_ in labels]
        assert row["n"] == sum(pairs.count(pair) > 1 for pair in set(pairs))
    answer = answer_of(study, COEFFICIENTS).result
    assert answer.extent.startswith(f"{len(whole)} labels, {len(planned)} of them planned;")
    assert any("loaded from files" in note for note in answer.notes)
    assert "No gold check has been answered that counts." in answer.notes
    assert any(name.startswith("All labels of pairs with 3") for name, _ in rows)


def test_a_nominal_scale_has_one_alpha_and_no_weights_and_the_direction_changes_nothing(study):
    assert coefficients_of(study, direction="reverse") == coefficients_of(study)
    assert ("All labels", "Cohen's kappa, quadratic weights, mean") in coefficients_of(study)
    Collection.objects.filter(pk=study.pk).update(measurement="nominal")
    study.refresh_from_db()
    names = {name for _, name in coefficients_of(study)}
    assert "Cohen's kappa, mean" in names and "Cohen's kappa, quadratic weights, mean" not in names
    assert [name for name in names if "alpha" in name] == ["Krippendorff's alpha, nominal"]


def test_golds_have_their_own_rows_follow_the_threshold_and_are_no_labels(study):
    n_labels = len(labels_of(study))
    answer_golds(study, 8, 6)
    assert len(labels_of(study)) == n_labels - 8
    row = coefficients_of(study)["Gold checks", "Right answers"]
    assert (row["value"], row["n"]) == (0.75, 8)
    assert 0 < row["low"] < 0.75 < row["high"] < 1
    mean = coefficients_of(study)["Gold checks", "Right answers, mean of annotators"]
    assert (mean["value"], mean["low"], mean["n"]) == (0.75, None, 1)
    assert answer_of(study, COEFFICIENTS).result.extent.startswith(f"{n_labels - 8} labels")
    wrong_grades = Gold.objects.filter(grade__gt=0).update(grade=1)
    assert wrong_grades
    from_two = coefficients_of(study, threshold=2)["Gold checks", "Right answers"]
    answers = Seat.objects.filter(purpose="gold").values_list(
        "judgment__level__grade", "pair__golds__grade"
    )
    assert from_two["value"] == pytest.approx(np.mean([(a >= 2) == (b >= 2) for a, b in answers]))
    gold = Gold.objects.first()
    exclusions.exclude_pair(pair=gold.pair, by=cast.member(study, Role.LEAD), reason="odd")
    assert coefficients_of(study)["Gold checks", "Right answers"]["n"] == 7
    Gold.objects.update(retired_at="2026-01-01T00:00Z")
    assert ("Gold checks", "Right answers") not in coefficients_of(study)


def test_the_curve_is_alpha_of_the_first_labels_and_ends_at_the_coefficient(study):
    rows = table_of(study, CURVE)
    coefficients = coefficients_of(study)
    for name, whys in (
        ("Planned labels", ("first", "double")),
        ("All labels", tuple(Seat.Why)),
    ):
        labels, curve = labels_of(study, whys), [row for row in rows if row["labels"] == name]
        assert curve[-1]["n_labels"] == len(labels)
        for row in curve:
            if row["alpha"] is not None:
                first = labels[: row["n_labels"]]
                assert row["alpha"] == pytest.approx(their_alpha(first), abs=1e-9)
        last = coefficients[name, "Krippendorff's alpha, ordinal"]
        assert curve[-1]["alpha"] == pytest.approx(last["value"], abs=1e-12)
        interval = (last["low"], last["high"]) if name == "Planned labels" else (None, None)
        assert (curve[-1]["low"], curve[-1]["high"]) == interval
        assert any(row["alpha"] is not None and row["low"] is None for row in curve)
    assert any(row["alpha"] is None for row in rows)


def test_a_changed_label_comes_when_it_was_changed_and_an_undone_one_never(study):
    newcomer, other = cast.annotator(study), cast.annotator(study)
    round_ = campaigns.open_pool_round(study, cast.pairs(study, 4), name="third")
    Seat.objects.filter(collection=study).exclude(round=round_).filter(
        state__in=("free", "held")
    ).update(state="withdrawn", leased_until=None)
    assert (studies.judge(newcomer), studies.judge(other)) == (4, 4)
    n = answer_of(study, CURVE).result.rows[-1][1]
    assert n == len(labels_of(study))
    undoing.take_back(annotator=newcomer, token=newcomer.judgments.latest("pk").hand_out.token)
    assert answer_of(study, CURVE).result.rows[-1][1] == n - 1


def test_excluded_pairs_are_left_out_and_told(study):
    n = coefficients_of(study)["All labels", "Krippendorff's alpha, ordinal"]["n"]
    pair = next(pair for pair in study.pairs.order_by("pk") if pair.counting_judgments.count() == 2)
    exclusions.exclude_pair(pair=pair, by=cast.member(study, Role.LEAD), reason="not to be seen")
    assert coefficients_of(study)["All labels", "Krippendorff's alpha, ordinal"]["n"] == n - 1
    for name in (COEFFICIENTS, CURVE):
        assert answer_of(study, name).result.notes[0].startswith("1 pair that a lead excluded")
    Item.objects.filter(collection=study).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    for name in (COEFFICIENTS, CURVE):
        assert answer_of(study, name).reason.startswith("No pair has a label yet that counts")


def test_models_count_and_are_told(study):
    Annotator.objects.filter(collection=study, external_id="e1").update(origin="model")
    for name in (COEFFICIENTS, CURVE):
        assert any("by models" in note for note in answer_of(study, name).result.notes)


def test_without_two_labels_of_a_pair_or_two_grades_nothing_is_defined():
    empty = studies.study("empty")
    for name in (COEFFICIENTS, CURVE):
        assert answer_of(empty, name).reason.startswith("No pair has a label yet that counts")
    studies.judge(cast.annotator(empty), n=4)
    for name in (COEFFICIENTS, CURVE):
        assert answer_of(empty, name).reason.startswith("No pair has labels of two annotators yet")


def test_labels_of_one_grade_have_shares_and_no_alpha():
    study = studies.study("alike", n_queries=6, n_documents=6)
    rows = [f"e{n},q{q},d{d},1" for q in range(6) for d in range(6) for n in range(2)]
    import_judgments(
        collection=study,
        stream=file("annotator,query,document,grade", *rows),
        file_name="experts.csv",
        columns=JudgmentColumns(),
        name="experts",
    )
    assert answer_of(study, COEFFICIENTS).result.headline == (
        "Alpha is not defined, as all labels have the same grade; all planned labels are equal on "
        "100.0 % (95 % interval 61.0 to 100.0) of 36 pairs with two or more"
    )
    rows = coefficients_of(study)
    assert rows["All labels", "Krippendorff's alpha, ordinal"]["value"] is None
    assert rows["All labels", "Fleiss' kappa"]["value"] is None
    assert rows["All labels", "Cohen's kappa, mean"]["value"] is None
    assert rows["All labels", "All labels of a pair equal"]["value"] == 1
    assert answer_of(study, CURVE).reason.startswith("Alpha is not defined yet")


def test_the_number_of_queries_to_the_database_is_constant(study):
    for name in (COEFFICIENTS, CURVE):
        answer_of(study, name)
        counts = []
        for _ in range(2):
            with CaptureQueriesContext(connection) as queries:
                answer_of(study, name)
            counts.append(len(queries))
            studies.judge(cast.annotator(study), n=5)
        assert counts[0] == counts[1]


def test_coefficients_are_held_to_the_marks_of_the_collection(study):
    usual = answer_of(study, COEFFICIENTS).result
    assert "The lines stand at the conventional marks, 0.667 and 0.8" in usual.reading
    study.tentative_alpha = 0.5
    study.save()
    own = answer_of(study, COEFFICIENTS).result
    assert "The lines stand at the marks of this collection, 0.5 and 0.8" in own.reading
    assert own.spec["layer"][0]["data"]["values"] == [{"mark": 0.5}, {"mark": 0.8}]
