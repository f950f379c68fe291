"""Counts by level and reason that a worker makes: a recount of the labels, and made anew."""

from collections import Counter

import pytest

from annotate.models import HandOut
from annotate.services.background import kept
from annotate.services.judging import undoing
from annotate.services.people import accounts
from annotate.services.review.exclusions import exclude_item
from metrics.forms.comment_filters import CommentFilters, LabelState
from metrics.services.comments import comments
from metrics.services.comments.comments import page_of
from metrics.services.comments.kept_counts import inquiry_of
from metrics.services.comments.matching import matching_keys
from tests import campaigns
from tests.metrics.services.comments.test_comments import commented_study, filters_of
from tests.works import compute_anew, value_requests

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(monkeypatch):
    """A study with more labels than a page has lines."""
    monkeypatch.setattr(comments, "PAGE_SIZE", 1)
    return commented_study()


def count(study, filters):
    """Count as a worker does; False if the counts were fresh."""
    return kept.compute(inquiry=inquiry_of(collection=study, filters=filters))


def is_stale(study, filters):
    return page_of(collection=study, filters=filters).is_stale


def recount(study, filters):
    """The counts of each level, from the labels one by one."""
    labels, said, named, reasons = Counter(), Counter(), Counter(), Counter()
    for key in matching_keys(collection=study, filters=filters).tolist():
        judgment = study.judgments.get(pk=key)
        grade = judgment.level.grade
        labels[grade] += 1
        said[grade] += hasattr(judgment, "comment")
        named[grade] += bool(judgment.reasons)
        reasons.update((grade, reason) for reason in judgment.reasons)
    return [
        (
            labels[grade],
            said[grade],
            named[grade],
            {reason: n for (level, reason), n in reasons.items() if level == grade},
        )
        for grade in range(3)
    ]


@pytest.mark.parametrize(
    "address",
    [
        "",
        "kind=comment",
        "kind=both",
        "q=hund+der",
        "level=1",
        "reason=too general",
        "purpose=label",
        "state=all",
        "run",
        "run&depth=5&q=hun",
        "query",
    ],
)
def test_the_counts_of_a_worker_are_a_recount_of_the_labels(study, address):
    address = address.replace("run", f"run={study.runs.get(name='gamma').pk}")
    address = address.replace("query", f"query={study.judgments.first().pair.query.external_id}")
    filters = filters_of(study, address)
    assert matching_keys(collection=study, filters=filters).size
    assert count(study, filters)
    # a page of older labels asks for the same counts
    page = page_of(collection=study, filters=filters._replace(before=2**62 - 1))
    assert [
        (
            level.n_labels,
            level.n_comments,
            level.n_with_reasons,
            {row.reason: row.n for row in level.reasons},
        )
        for level in page.table.levels
    ] == recount(study, filters)
    assert page.counted_at is not None and not page.is_stale


def test_only_labels_that_fill_more_than_a_page_need_a_worker(study, monkeypatch):
    with value_requests() as requests:
        page = page_of(collection=study, filters=CommentFilters())
        assert page.table is None and len(page.lines) == 1
        monkeypatch.setattr(comments, "PAGE_SIZE", 5)
        page = page_of(collection=study, filters=CommentFilters())
        assert (page.table.n_labels, page.counted_at, page.is_stale) == (5, None, False)
    assert requests == [inquiry_of(collection=study, filters=CommentFilters())]


def test_filters_have_counts_of_their_own_wherever_a_page_begins(study):
    run = study.runs.first()
    addresses = ["", "q=a", "q=b", "kind=comment", "level=1", "level=2", "state=all"]
    addresses += ["purpose=gold", "reason=too general", f"run={run.pk}", f"run={run.pk}&depth=5"]
    inquiries = [
        inquiry_of(collection=study, filters=filters_of(study, address)) for address in addresses
    ]
    assert len({inquiry.key for inquiry in inquiries}) == len(addresses)
    for address, other in [("", "before=7"), ("", "depth=5"), ("q=a+b", "q=b+a")]:
        first, second = (
            inquiry_of(collection=study, filters=filters_of(study, text))
            for text in (address, other)
        )
        assert first == second, (address, other)


def label_more(study):
    hand_outs = HandOut.objects.filter(batch__collection=study).order_by("position")
    campaigns.judge(hand_outs[8], 1, reasons=["too general"])


def take_back(study):
    hand_out = HandOut.objects.filter(batch__collection=study).order_by("position")[1]
    undoing.take_back(annotator=study.annotators.get(), token=hand_out.token)


def erase(study):
    accounts.erase_person(user=study.annotators.get().user)


def exclude(study):
    exclude_item(item=study.judgments.first().pair.document, by=None, reason="broken")


@pytest.mark.parametrize("change", [label_more, take_back, erase])
@pytest.mark.parametrize("state", LabelState)
def test_old_counts_are_shown_until_they_are_made_anew(study, change, state):
    filters = CommentFilters(state=state)
    assert count(study, filters) and not count(study, filters)
    before = page_of(collection=study, filters=filters).table
    change(study)
    page = page_of(collection=study, filters=filters)
    assert page.is_stale and page.table == before
    assert count(study, filters)
    page = page_of(collection=study, filters=filters)
    assert not page.is_stale
    assert [level.n_comments for level in page.table.levels] == [
        row[1] for row in recount(study, filters)
    ]


def test_an_excluded_item_makes_the_counts_of_a_run_anew(study):
    filters = CommentFilters(run=study.runs.first())
    count(study, filters)
    exclude(study)
    assert is_stale(study, filters) and count(study, filters)


def test_levels_are_those_of_now(study):
    count(study, CommentFilters())
    study.levels.filter(grade=1).update(reasons=[{"name": "does not match", "what": ["colour"]}])
    page = page_of(collection=study, filters=CommentFilters())
    assert page.table.reasons == ["does not match/colour", "too general"] and not page.is_stale


def test_nothing_is_counted_for_a_run_that_is_deleted_meanwhile(study):
    inquiry = inquiry_of(collection=study, filters=CommentFilters(run=study.runs.first()))
    inquiry.parameters["run"] = 0
    assert not kept.compute(inquiry=inquiry) and kept.find(inquiry=inquiry) is None


def test_counts_are_made_again_after_a_while_though_nothing_is_known_to_have_changed(study):
    inquiry = inquiry_of(collection=study, filters=CommentFilters())
    assert kept.compute(inquiry=inquiry)
    assert compute_anew(inquiry)
