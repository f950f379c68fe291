"""Analyses that take seconds tell how far they are, in numbers that rise to their total."""

import pytest

from annotate.models import Item, Part
from annotate.services.background import kept, progress
from metrics.services.analysis.computation import compute_now, inquiry_of
from metrics.services.analysis.register import ANALYSES
from tests.metrics.services.analysis.questions import chosen
from tests.metrics.services.analysis.systems.system_study import system_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """With texts of all queries, and training texts."""
    collection = system_study()
    texts = ["a man walks", "a dog runs", "a dog runs"]
    for split in ("train", "further"):
        for number, text in enumerate(texts):
            item = Item.objects.create(
                collection=collection, side="query", external_id=f"{split}{number}", split=split
            )
            Part.objects.create(item=item, position=0, kind="text", text=text)
    for item in Item.objects.filter(collection=collection, side="query", parts=None):
        Part.objects.create(item=item, position=0, kind="text", text=f"text {item.external_id}")
    return collection


def steps_of(study, name: str, **parameters: object) -> list[tuple[int, int, str]]:
    """The steps of progress of an analysis, which is defined."""
    steps: list[tuple[int, int, str]] = []
    answer = compute_now(
        collection=study,
        spec=ANALYSES[name].spec(chosen(study, **parameters)),
        report_progress=lambda *step: steps.append(step),
    )
    assert answer.result is not None, answer.reason
    return steps


@pytest.mark.parametrize(
    ("name", "parameters", "unit"),
    [
        ("differences", {}, "permutations"),
        ("pairwise-differences", {}, "permutations"),
        ("differences", {"decide": "randomization"}, "tosses"),
        ("pairwise-differences", {"decide": "randomization"}, "tosses"),
        ("swap-rates", {}, "resamples"),
        ("hits-by-training-similarity", {"measure": "C@1"}, "texts"),
        ("training-similarity-and-length", {}, "texts"),
    ],
)
def test_progress_rises_to_the_total(study, name, parameters, unit):
    steps = steps_of(study, name, **parameters)
    assert {step[2] for step in steps} == {unit}
    (total,) = {step[1] for step in steps}
    numbers = [step[0] for step in steps]
    assert numbers == sorted(numbers) and numbers[-1] == total > 1


def test_the_page_is_told_while_a_worker_computes(study, monkeypatch):
    """What the worker last told, before it drops it at the end."""
    inquiry = inquiry_of(collection=study, spec=ANALYSES["differences"].spec(chosen(study)))
    texts = []
    monkeypatch.setattr(
        progress,
        "forget",
        lambda *, job: texts.append(progress.progress_of(job=job).text),
    )
    assert kept.compute(inquiry=inquiry)
    assert texts and " of 10,000 permutations" in texts[0]
