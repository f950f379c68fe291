"""A label explained: one page with all that led to it, without names for researchers."""

import pytest
from django.urls import reverse

from annotate.models import Judgment, JudgmentComment, JudgmentEvent, Report, Role, Seat
from annotate.services.people import accounts
from annotate.services.review import adjudicating
from tests import cast

pytestmark = pytest.mark.django_db


def explained(client, campaign, pair, person, query=""):
    client.force_login(person)
    return client.get(reverse("pooling:pair", args=["made", pair.pk]) + query)


def test_it_shows_runs_pools_seats_judgments_and_what_became_of_them(client, campaign):
    seat = Seat.objects.filter(state="done", purpose="label", round=campaign.pool.round).first()
    page = explained(client, campaign, seat.pair, campaign.lead).content.decode()
    for words in (
        campaign.run.name,
        campaign.pool.name,
        "best rank 1",
        "said by",
        "First label",
        "policy version 1",
        seat.annotator.pseudonym,
        "by majority (policy version 1)",
    ):
        assert words in page, words


def test_it_tells_the_history_in_order(client, campaign):
    report = Report.objects.get()
    adjudicating.adjudicate(pair=report.pair, by=campaign.lead, grade=2, note="it does play")
    adjudicating.undo_adjudication(pair=report.pair, by=campaign.lead, reason="no")
    moments = explained(client, campaign, report.pair, campaign.lead).context["history"].events
    (reported,) = [moment for moment in moments if moment.action == "cannot judge"]
    decided = [moment for moment in moments if moment.lead]
    assert [(moment.action, moment.detail) for moment in decided] == [
        ("adjudicated 2, Level 2", "it does play"),
        ("undone 2, Level 2", "no"),
    ]
    assert reported.at < decided[0].at
    assert [moment.at for moment in moments] == sorted(moment.at for moment in moments)


def test_what_an_erased_person_undid_herself_is_no_leads_doing(client, campaign):
    # all that was undone
    judgment = JudgmentEvent.objects.get(kind="undone", by=campaign.annotators[1].user).judgment
    accounts.erase_person(user=judgment.annotator.user)
    moments = explained(client, campaign, judgment.pair, campaign.lead).context["history"].events
    (undone,) = [moment for moment in moments if moment.action.startswith("took back")]
    assert (undone.annotator, undone.lead) == (judgment.annotator, "")


def test_what_an_erased_lead_decided_is_not_the_policys_doing(client, campaign):
    pair, other = Report.objects.get().pair, cast.member(campaign.collection, Role.LEAD)
    adjudicating.adjudicate(pair=pair, by=campaign.lead, grade=2)
    accounts.erase_person(user=campaign.lead)
    page = explained(client, campaign, pair, other).content.decode()
    assert "<b>A former lead</b> adjudicated 2, Level 2" in page
    assert "The policy" not in page


def test_a_researcher_sees_pseudonyms_and_no_leads_names(client, campaign):
    seat = Seat.objects.filter(state="done", purpose="label").first()
    adjudicating.adjudicate(pair=seat.pair, by=campaign.lead, grade=2)
    name = seat.annotator.user.username
    for person, query, expected in [
        (campaign.lead, "", False),
        (campaign.lead, "?names=1", True),
        (campaign.researcher, "?names=1", False),
    ]:
        page = explained(client, campaign, seat.pair, person, query).content.decode()
        assert (name in page.split("</header>", 1)[1]) is expected
        assert seat.annotator.pseudonym in page
    assert campaign.lead.username not in page and "A lead" in page


def test_the_minute_of_an_answer_is_for_leads(client, campaign):
    pair = Report.objects.get().pair
    for person, is_told in ((campaign.lead, True), (campaign.researcher, False)):
        page = explained(client, campaign, pair, person).content.decode()
        main = page.split("<main", 1)[1].split("</main>", 1)[0]
        assert ('data-precision="' in main) is is_told


def test_comments_and_notes_of_annotators_are_for_leads(client, campaign):
    report = Report.objects.select_related("pair").get()
    Report.objects.filter(pk=report.pk).update(note="Ask Mr Smith")
    judgment = Judgment.objects.filter(comment__isnull=False).exclude(pair=report.pair).first()
    for pair, words in ((report.pair, "Ask Mr Smith"), (judgment.pair, judgment.comment.text)):
        assert explained(client, campaign, pair, campaign.lead).content.decode().count(words) == 2
        page = explained(client, campaign, pair, campaign.researcher).content.decode()
        assert words not in page and "by annotators: leads see what" in page
    JudgmentComment.objects.all().delete()
    page = explained(client, campaign, judgment.pair, campaign.researcher).content.decode()
    assert "by annotators" not in page


def test_it_asks_as_often_for_a_long_history(client, campaign, django_assert_max_num_queries):
    pair = Report.objects.get().pair
    with django_assert_max_num_queries(99) as few:
        explained(client, campaign, pair, campaign.lead)
    for grade in (0, 1, 2, 0, 1):
        adjudicating.adjudicate(pair=pair, by=campaign.lead, grade=grade)
    with django_assert_max_num_queries(len(few)):
        explained(client, campaign, pair, campaign.lead)


def test_annotators_and_strangers_find_nothing(client, campaign):
    pair = Report.objects.get().pair
    for person in (campaign.annotators[0].user, cast.user()):
        assert explained(client, campaign, pair, person).status_code == 404


def test_pools_and_the_explorer_lead_there(client, campaign):
    pair = campaign.pool.round.round_pairs.first().pair
    client.force_login(campaign.researcher)
    link = reverse("pooling:pair", args=["made", pair.pk])
    assert (
        link
        in client.get(
            reverse("pooling:pool-pairs", args=["made", campaign.pool.pk])
        ).content.decode()
    )
    assert (
        "/c/made/judging/pairs/"
        in client.get(reverse("metrics:explorer", args=["made"])).content.decode()
    )
