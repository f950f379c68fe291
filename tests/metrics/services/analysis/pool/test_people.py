"""Annotators judged by one another, from the database: recounted label by label."""

import pytest

from annotate.models import CountingJudgment
from annotate.services.review import exclusions
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import small_study
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "people-as-systems"


@pytest.fixture
def study():
    """Two people who labelled all pairs of a pool."""
    return studies.judged_study("study", seeds=(0, 1))


def labels_of() -> dict[int, dict[str, int]]:
    """The planned labels of each pair that has two, by the pseudonyms."""
    rows = CountingJudgment.objects.labels().filter(is_planned=True)
    by_pair: dict[int, dict[str, int]] = {}
    for pair, name, grade in rows.values_list("pair", "annotator__pseudonym", "grade"):
        by_pair.setdefault(pair, {})[name] = grade
    return {pair: grades for pair, grades in by_pair.items() if len(grades) == 2}


def expected(*, threshold: int, without: int | None = None) -> dict[str, tuple[object, ...]]:
    rows = {}
    pairs = [grades for pair, grades in labels_of().items() if pair != without]
    for name in {name for grades in pairs for name in grades}:
        (other,) = {key for grades in pairs for key in grades} - {name}
        own = [grades[name] >= threshold for grades in pairs]
        truth = [grades[other] >= threshold for grades in pairs]
        both = sum(a and b for a, b in zip(own, truth, strict=True))
        rows[name] = (
            len(pairs),
            sum(own),
            pytest.approx(both / sum(own)),
            pytest.approx(both / sum(truth)),
        )
    return rows


def rows_of(collection, **parameters) -> dict[str, tuple[object, ...]]:
    return {
        row["annotator"]: (row["n"], row["n_positive"], row["precision"], row["recall"])
        for row in table_of(collection, NAME, **parameters)
        if row["annotator"] != "All together"
    }


@pytest.mark.parametrize("threshold", [1, 2])
def test_each_person_is_a_system_for_the_other(study, threshold):
    assert rows_of(study, threshold=threshold) == expected(threshold=threshold) != {}
    whole = table_of(study, NAME, threshold=threshold)[0]
    assert whole["precision"] == pytest.approx(whole["recall"]) == pytest.approx(whole["f1"])


def test_an_excluded_pair_does_not_count(study):
    pair = study.pairs.get(pk=min(labels_of()))
    exclusions.exclude_pair(pair=pair, by=cast.member(study, "lead"), reason="Blank")
    assert rows_of(study) == expected(threshold=1, without=pair.pk)


def test_labels_of_one_person_or_none_are_said():
    collection = small_study()
    assert answer_of(collection, NAME).reason.startswith("No pair has a label yet that counts")
    studies.judge(cast.annotator(collection), n=5)
    assert answer_of(collection, NAME).reason.startswith("No pair has planned labels of two")
