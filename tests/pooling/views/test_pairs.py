"""A label explained: one page with all that led to it, without names for researchers."""

import pytest
from django.urls import reverse

from annotate.models import JudgmentEvent, Report, Role, Seat
from annotate.services import accounts, adjudicating
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return campaigns.campaign("made")


def explained(client, made, pair, person, query=""):
    client.force_login(person)
    return client.get(reverse("pooling:pair", args=["made", pair.pk]) + query)


def test_it_shows_runs_pools_seats_judgments_and_what_became_of_them(client, made):
    seat = Seat.objects.filter(state="done", purpose="label", round=made.pool.round).first()
    page = explained(client, made, seat.pair, made.lead).content.decode()
    for words in (made.run.name, made.pool.name, "best rank 1", "said by", "First label", "policy version 1",
                  seat.annotator.pseudonym, "under policy version 1 (majority)"):  # fmt: skip
        assert words in page, words


def test_it_tells_the_history_in_order(client, made):
    report = Report.objects.get()
    adjudicating.adjudicate(pair=report.pair, by=made.lead, grade=2, note="it does play")
    adjudicating.undo_adjudication(pair=report.pair, by=made.lead, reason="no")
    moments = explained(client, made, report.pair, made.lead).context["history"].moments
    (reported,) = [moment for moment in moments if moment.what == "cannot judge"]
    decided = [moment for moment in moments if moment.lead]
    assert [(moment.what, moment.detail) for moment in decided] == [
        ("adjudicated 2, Level 2", "it does play"), ("undone 2, Level 2", "no")
    ]  # fmt: skip
    assert reported.at < decided[0].at
    assert [moment.at for moment in moments] == sorted(moment.at for moment in moments)


def test_what_an_erased_person_undid_herself_is_no_leads_doing(client, made):
    said = JudgmentEvent.objects.get(kind="undone", by=made.annotators[1].user).judgment  # all that was undone
    accounts.erase_person(user=said.annotator.user)
    moments = explained(client, made, said.pair, made.lead).context["history"].moments
    (undone,) = [moment for moment in moments if moment.what.startswith("undone")]
    assert (undone.annotator, undone.lead) == (said.annotator, "")


def test_what_an_erased_lead_decided_is_not_the_policys_doing(client, made):
    pair, other = Report.objects.get().pair, cast.member(made.collection, Role.LEAD)
    adjudicating.adjudicate(pair=pair, by=made.lead, grade=2)
    accounts.erase_person(user=made.lead)
    page = explained(client, made, pair, other).content.decode()
    assert "<b>A former lead</b> adjudicated 2, Level 2" in page
    assert "The policy" not in page


def test_a_researcher_sees_pseudonyms_and_no_leads_names(client, made):
    seat = Seat.objects.filter(state="done", purpose="label").first()
    adjudicating.adjudicate(pair=seat.pair, by=made.lead, grade=2)
    name = seat.annotator.user.username
    for person, query, expected in [(made.lead, "", False), (made.lead, "?names=1", True),
                                    (made.researcher, "?names=1", False)]:  # fmt: skip
        page = explained(client, made, seat.pair, person, query).content.decode()
        assert (name in page.split("</header>", 1)[1]) is expected
        assert seat.annotator.pseudonym in page
    assert made.lead.username not in page and "A lead" in page


def test_it_asks_as_often_for_a_long_history(client, made, django_assert_max_num_queries):
    pair = Report.objects.get().pair
    with django_assert_max_num_queries(99) as few:
        explained(client, made, pair, made.lead)
    for grade in (0, 1, 2, 0, 1):
        adjudicating.adjudicate(pair=pair, by=made.lead, grade=grade)
    with django_assert_max_num_queries(len(few)):
        explained(client, made, pair, made.lead)


def test_annotators_and_strangers_find_nothing(client, made):
    pair = Report.objects.get().pair
    for person in (made.annotators[0].user, cast.user()):
        assert explained(client, made, pair, person).status_code == 404


def test_pools_and_the_explorer_lead_there(client, made):
    pair = made.pool.round.round_pairs.first().pair
    client.force_login(made.researcher)
    link = reverse("pooling:pair", args=["made", pair.pk])
    assert link in client.get(reverse("pooling:pool-pairs", args=["made", made.pool.pk])).content.decode()
    assert "/c/made/pairs/" in client.get(reverse("metrics:explorer", args=["made"])).content.decode()
