"""Analyses as kept values: computed once, anew after changes, and reasons in place of numbers."""

import io

import pytest
from django.utils import timezone

from annotate.core.files.archives.sources import FileSource
from annotate.core.media.rasters import RASTER_BYTES
from annotate.models import Change, Kept, Pair, PairExclusion, Part, Policy, Preview, QuerySet
from annotate.services.imports.imports import import_now
from annotate.services.imports.kinds import ReferenceImport
from annotate.services.review.duplicate_marks import (
    DuplicateGroup,
    mark_duplicates,
    unmark_duplicates,
)
from metrics.score_files.choices import Choice
from metrics.services.analysis.computation import look
from metrics.services.analysis.register import ANALYSES
from metrics.services.numbers import refresh
from pooling.models import Pool, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.questions import answer_of, chosen, compute_kept

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "positives-per-query"
OF_QUERIES = [name for name, row in ANALYSES.items() if Choice.QUERIES in row.choices]


@pytest.fixture
def study():
    return studies.judged_study("study")


def answer(study, name=NAME, **parameters):
    choices = chosen(study, **parameters)
    specs = [ANALYSES[name].spec(choices)]
    (kept_answer,) = look(collection=study, specs=specs, runs=choices.runs)
    return kept_answer


def count_without_effect(study):
    """Leave nothing to count, as if no number were another one: what is old is so by itself."""
    Change.objects.filter(collection=study).delete()


def test_whoever_looks_first_has_it_computed_and_then_it_is_there(study):
    assert answer(study) is None
    assert compute_kept(study, NAME)
    kept_answer = answer(study)
    assert (kept_answer.reason, kept_answer.is_stale) == ("", False)
    assert kept_answer.result == answer_of(study, NAME).result
    assert not compute_kept(study, NAME)


def test_further_labels_make_it_old_and_it_is_shown_meanwhile(study):
    compute_kept(study, NAME)
    studies.judge(cast.annotator(study), seed=3)
    assert answer(study).is_stale, "before they are counted"
    refresh.refresh(collection=study)
    assert answer(study).is_stale
    assert compute_kept(study, NAME)
    assert not answer(study).is_stale


def test_another_name_of_a_run_makes_its_analyses_old(study):
    name = "hits-by-length"
    compute_kept(study, name)
    compute_kept(study, NAME)
    Run.objects.filter(name="alpha").update(name="aleph")
    assert answer(study, name).is_stale
    assert not answer(study).is_stale


def test_an_import_that_ends_makes_analyses_old(study):
    compute_kept(study, NAME)
    source = FileSource(io.BytesIO(b"q1 0 d2 1\n"), "cxc.qrels")
    import_now(collection=study, import_request=ReferenceImport("cxc"), source=source)
    count_without_effect(study)
    assert answer(study).is_stale


def test_a_mark_of_a_duplicate_and_its_end_make_analyses_old(study):
    compute_kept(study, NAME)
    first, second = study.items.filter(side="query").order_by("pk")[:2]
    group = DuplicateGroup(first, [second])
    mark_duplicates(collection=study, groups=[group], by=None)
    count_without_effect(study)
    assert answer(study).is_stale
    compute_kept(study, NAME)
    assert not answer(study).is_stale
    unmark_duplicates(collection=study, items=[second], by=None)
    count_without_effect(study)
    assert answer(study).is_stale


def test_an_excluded_pair_without_a_label_other_pay_and_other_marks_make_analyses_old(study):
    compute_kept(study, NAME)
    first_query = study.items.filter(side="query").order_by("pk")[0]
    document = study.items.filter(side="document").order_by("pk")[0]
    pair, _ = Pair.objects.get_or_create(collection=study, query=first_query, document=document)
    PairExclusion.objects.create(pair=pair, collection=study, reason="a broken clip")
    assert answer(study).is_stale
    compute_kept(study, NAME)
    assert not answer(study).is_stale
    study.hourly_pay = 12
    study.save()
    assert answer(study).is_stale
    compute_kept(study, NAME)
    study.firm_alpha = 0.9
    study.save()
    assert answer(study).is_stale


def test_another_policy_makes_analyses_old(study):
    """Hours of plans hold the labels and gold checks that it plans."""
    compute_kept(study, NAME)
    policy = Policy.objects.get(collection=study)
    policy.pk, policy.version, policy.labels_per_pair = None, policy.version + 1, 3
    policy.save()
    assert answer(study).is_stale
    compute_kept(study, NAME)
    assert not answer(study).is_stale


def test_a_pool_that_opens_or_closes_makes_analyses_old(study):
    compute_kept(study, NAME)
    pool = Pool.objects.get(collection=study)
    for state in ("closed", "open"):
        Pool.objects.filter(pk=pool.pk).update(state=state)
        assert answer(study).is_stale
        compute_kept(study, NAME)
        assert not answer(study).is_stale
    pool.runs.set(Run.objects.filter(name="alpha"))
    assert answer(study).is_stale


def test_files_that_are_read_after_their_import_make_the_duplicates_old_alone(study):
    part = study.items.filter(side="document")[0].parts.create(
        position=1, kind="image", path="a.png"
    )

    def read_checksum():
        Part.objects.filter(pk=part.pk).update(checksum="sha256:a")

    def draw():
        fields = {"content": b"x", "width": 1, "height": 1}
        Preview.objects.create(collection=study, checksum="sha256:a", **fields)

    def compute_raster():
        Preview.objects.update(raster=bytes(RASTER_BYTES))

    compute_kept(study, NAME)
    for read in (read_checksum, draw, compute_raster):
        compute_kept(study, "duplicates")
        assert not answer(study, "duplicates").is_stale
        read()
        assert answer(study, "duplicates").is_stale
    assert not answer(study).is_stale


def test_time_alone_makes_no_answer_old_though_it_is_computed_again(study):
    compute_kept(study, NAME)
    Kept.objects.update(fresh_until=timezone.now())
    assert not answer(study).is_stale
    assert compute_kept(study, NAME)


def test_what_is_missing_is_kept_as_a_sentence(study):
    run = Run.objects.get(name="alpha")
    compute_kept(study, "hits-by-length", run=run.pk)
    kept_answer = answer(study, "hits-by-length", run=run.pk)
    assert kept_answer.result is None
    assert kept_answer.reason == "It takes 2 runs of this direction; 1 run is chosen."


def test_a_query_set_of_the_other_direction_has_a_sentence_for_every_analysis(study):
    QuerySet.objects.create(collection=study, name="some", direction="reverse")
    for name in OF_QUERIES:
        reason = answer_of(study, name, queries="some").reason
        assert reason.startswith("The query set “some” has no queries in this direction"), name


def test_an_empty_query_set_has_a_sentence_for_every_analysis(study):
    QuerySet.objects.create(collection=study, name="none", direction="forward")
    for name in OF_QUERIES:
        assert answer_of(study, name, queries="none").reason == (
            "The query set “none” has no queries left."
        ), name


def test_a_collection_without_anything_has_sentences_alone():
    empty = cast.collection("empty")
    for name in ANALYSES:
        reason = answer_of(empty, name).reason
        assert reason.startswith("The collection has no "), name
        assert reason.endswith("yet: load its items."), name
    assert not Kept.objects.exists()
