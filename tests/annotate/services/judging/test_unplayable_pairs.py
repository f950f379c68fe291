"""Pairs that a browser does not play go to others, count as nothing, and the lead is told."""

from uuid import uuid4

import pytest
from django.urls import reverse

from annotate.core.files.archives.sources import FileSource
from annotate.models import Judgment, Pair, Part, Report, Resolution, Role, Seat
from annotate.services.collection.media import media_folder
from annotate.services.imports import items as item_import
from annotate.services.judging import (
    claiming,
    reports,
    undoing,
    unplayable_pairs,
    work_availability,
)
from annotate.services.pages import stuck_labels
from annotate.services.review import inbox
from tests import campaigns, cast, clips
from tests.annotate.core.files.samples import file, line
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def study(n_pairs=1, **policy):
    return campaigns.open_collection(
        n_pairs, "films", **{"gold_positives": 0, "gold_negatives": 0, **policy}
    )


def hand_outs(annotator):
    claiming.current_batch(annotator=annotator)
    return list(claiming.open_hand_outs(annotator=annotator))


def pass_on(annotator, hand_out, *, submission=None, is_change=False, reason="Ogg, Theora"):
    return reports.report_pair(
        annotator=annotator,
        token=hand_out.token,
        submission_id=submission or uuid4(),
        kind=Report.Kind.UNPLAYABLE,
        reason=reason,
        is_change=is_change,
    )


def test_a_pair_that_is_passed_on_goes_to_others_and_never_comes_back():
    collection = study()
    ann = cast.annotator(collection)
    pass_on(ann, hand_outs(ann)[0])
    assert Seat.objects.get().state == "free"
    assert hand_outs(ann) == []
    assert (Judgment.objects.count(), Resolution.objects.filter(n_labels__gt=0).count()) == (0, 0)
    other = cast.annotator(collection)
    campaigns.judge(hand_outs(other)[0])
    assert Resolution.objects.get().status == "single"


def test_any_number_of_people_may_pass_a_pair_on_while_two_who_cannot_judge_take_it_out():
    collection = study()
    for _ in range(4):
        ann = cast.annotator(collection)
        pass_on(ann, hand_outs(ann)[0])
    assert not Resolution.objects.filter(status="escalated").exists()
    assert inbox.count(collection=collection).n == 0
    for _ in range(2):
        ann = cast.annotator(collection)
        (hand_out,) = hand_outs(ann)
        reports.report_pair(
            annotator=ann,
            token=hand_out.token,
            submission_id=uuid4(),
            kind=Report.Kind.CANNOT_JUDGE,
        )
    assert Resolution.objects.get().status == "escalated"
    assert inbox.count(collection=collection).cannot == 1


def test_the_same_submission_twice_is_one_report_and_an_undo_gives_the_pair_back():
    collection = study()
    ann, submission = cast.annotator(collection), uuid4()
    (hand_out,) = hand_outs(ann)
    assert pass_on(ann, hand_out, submission=submission) == pass_on(
        ann, hand_out, submission=submission
    )
    assert [act.kind for act in undoing.last_acts(annotator=ann)] == ["report"]
    undoing.take_back(annotator=ann, token=hand_out.token, kind="report")
    assert (Report.objects.get().state, Seat.objects.get().annotator) == ("undone", ann)
    assert [card.pk for card in hand_outs(ann)] == [hand_out.pk]
    assert unplayable_pairs.unplayable_pairs(collection=collection) is None


def test_what_everybody_has_passed_on_is_told_to_the_lead(client):
    collection = study(2)
    client.force_login(cast.member(collection, Role.LEAD))
    address = reverse("annotate:inbox", args=["films"])
    assert "went on to others" not in text_of(client.get(address))
    ann = cast.annotator(collection)
    first, second = hand_outs(ann)
    pass_on(ann, first)
    page = text_of(client.get(address))
    assert (
        "1 pair went on to others, since the browser of 1 person does not play what is shown: "
        "Ogg, Theora (1). 1 of them waits for a label."
    ) in page
    assert stuck_labels.total_stuck(stuck_labels.stuck_labels(collection=collection)).n_pairs == 1
    assert "1 label is wanted on 1 pair that nobody here can give." in page
    other = cast.annotator(collection)
    pass_on(ann, second, reason="")
    assert "nobody here can give" not in text_of(client.get(address))
    for hand_out in hand_outs(other):
        pass_on(other, hand_out)
    why = work_availability.no_card_reason(annotator=other, wants_more=True)
    assert why["message"] == (
        "Nothing is left that can come to you. 2 pairs wait for people whose browsers play what "
        "yours does not. More comes when the lead opens another pool."
    )
    passed_on = unplayable_pairs.unplayable_pairs(collection=collection)
    assert passed_on.sentence == (
        "2 pairs went on to others, since the browsers of 2 people do not play what is shown: "
        "Ogg, Theora (2); of a type that nobody knows (1). All of them wait for a label."
    )
    assert "2 labels are wanted on 2 pairs that nobody here can give" in text_of(
        client.get(address)
    )


def test_the_inbox_asks_as_often_for_many_as_for_one(client, django_assert_max_num_queries):
    collection = study(6)
    client.force_login(cast.member(collection, Role.LEAD))
    ann = cast.annotator(collection)
    first, *rest = hand_outs(ann)
    pass_on(ann, first)
    with django_assert_max_num_queries(99) as few:
        client.get(reverse("annotate:inbox", args=["films"]))
    for hand_out in rest:
        pass_on(ann, hand_out, reason=f"Ogg, {hand_out.pk}")
    with django_assert_max_num_queries(len(few)):
        client.get(reverse("annotate:inbox", args=["films"]))


def test_a_pair_comes_again_to_who_passed_it_on_once_its_clip_has_another_source(media_root):
    collection = study(2)
    ann = cast.annotator(collection)
    for hand_out in hand_outs(ann):
        pass_on(ann, hand_out)
    pair, other = Pair.objects.order_by("pk")
    folder = media_folder(collection)
    folder.mkdir(parents=True)
    (folder / "a.ogv").write_bytes(clips.theora())
    (folder / "a.mp4").write_bytes(clips.encode_clip("mp4", "libx264"))
    Part.objects.filter(item=pair.document).delete()
    Part.objects.create(item=pair.document, position=0, kind="video", path="a.ogv")
    assert hand_outs(ann) == []
    lines = [line(pair.document.external_id, video="a.ogv", also=["a.mp4"])]
    report = item_import.load_collection(
        collection=collection, source=FileSource(file(*lines), "items.jsonl")
    )
    assert report.n_with_new_sources == 1
    (again,) = hand_outs(ann)
    assert again.seat.pair_id == pair.pk
    assert set(Report.objects.values_list("pair", "state")) == {
        (pair.pk, "undone"),
        (other.pk, "open"),
    }
