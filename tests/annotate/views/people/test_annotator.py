"""Home, members, invitations, tokens and settings as a browser meets them."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import ApiToken, Change, Invitation, Item, Membership, Policy, Role, Side, User
from annotate.services.pages import collection_list
from annotate.services.people import accounts, tokens
from tests import campaigns, cast
from tests.annotate.views.browsing import page, send
from tests.annotate.views.review.inbox_rows import dispute, fail_batch, report
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_home_of_somebody_in_no_collection_says_what_next(client):
    client.force_login(cast.user())
    assert "ask the lead" in page(client, "home")


def test_home_asks_a_stranger_to_sign_in(client):
    answer = client.get(reverse("annotate:home"))
    assert answer.url.startswith(reverse("account_login"))


def test_home_lists_own_collections_alone(client, collection):
    cast.collection("secret-other")
    client.force_login(cast.member(collection, Role.ANNOTATOR))
    text = page(client, "home")
    assert "Shapes" in text
    assert "Secret-Other" not in text


@pytest.mark.parametrize(
    ("role", "says"),
    [
        (Role.RESEARCHER, "It holds no items yet"),
        (Role.LEAD, "Invite annotators"),
        (Role.ANNOTATOR, "No pool is open"),
    ],
)
def test_home_says_what_to_do_next_in_an_empty_collection(client, collection, role, says):
    client.force_login(cast.member(collection, role))
    assert says in page(client, "home")


def test_home_sends_an_annotator_to_the_open_pool(client, collection):
    campaigns.open_pool_round(collection, cast.pairs(collection, 2))
    annotator = cast.annotator(collection)
    client.force_login(annotator.user)
    assert "2 pairs wait for you." in page(client, "home")
    accounts.pause_annotator(annotator=annotator)
    assert "Your work is paused" in page(client, "home")


def test_home_tells_a_lead_of_pairs_that_wait(client):
    campaign = campaigns.campaign("full")
    client.force_login(campaign.lead)
    text = page(client, "home")
    assert "What waits for a lead: " in text
    assert f'href="{reverse("annotate:inbox", args=["full"])}"' in text


def test_home_counts_for_each_collection_what_its_inbox_counts(client):
    lead = cast.user()
    client.force_login(lead)
    fields = {
        "grades": 3,
        "positive_from": 2,
        "labels_per_pair": 2,
        "ceiling": 2,
        "gold_positives": 0,
        "gold_negatives": 0,
        "batch_candidates": 20,
    }
    full, other, quiet = (cast.collection(slug, **fields) for slug in ("full", "other", "quiet"))
    for collection in (full, other, quiet):
        cast.member(collection, Role.LEAD, lead)
    dispute(full)
    fail_batch(full)
    report(full, "cannot_judge", n_people=2)
    dispute(other, 2)
    next_steps = {
        entry.collection.slug: (entry.todo, entry.page)
        for entry in collection_list.entries(user=lead)
    }
    says = "What waits for a lead"
    assert next_steps["full"] == (f"{says}: 3.", "annotate:inbox")
    assert next_steps["other"] == (f"{says}: 2.", "annotate:inbox")
    assert says not in next_steps["quiet"][0]
    badge = '3<span class="unseen"> waiting</span>'
    assert badge in page(client, "inbox", "full")


def test_home_asks_as_often_for_one_collection_as_for_many(client):
    person = cast.user()
    client.force_login(person)
    cast.member(cast.collection(), Role.LEAD, person)
    with CaptureQueriesContext(connection) as queries_for_one:
        page(client, "home")
    for _ in range(8):
        cast.member(cast.collection(), Role.LEAD, person)
    with CaptureQueriesContext(connection) as queries_for_many:
        page(client, "home")
    assert len(queries_for_many) == len(queries_for_one) <= 9


def test_an_invitation_with_a_wrong_field_says_which(client, collection, lead):
    answer = send(client, "invite", collection.slug, role="king", email="no", days=0, status=422)
    assert text_of(answer).count("field-error") == 3
    assert not Invitation.objects.exists()


def test_a_revoked_link_no_longer_opens(client, collection, lead):
    invited = accounts.invite(collection=collection, role=Role.ANNOTATOR, by=lead)
    send(client, "invitation-revoke", collection.slug, invited.invitation.pk)
    assert "cannot be used" in page(client, "invitation", invited.token, status=404)


def test_an_invited_stranger_makes_an_account_and_is_in(client, collection):
    lead = cast.member(collection, Role.LEAD)
    token = accounts.invite(collection=collection, role=Role.ANNOTATOR, by=lead).token
    assert "Make an account" in page(client, "invitation", token)
    answer = send(client, "invitation", token, username="ada", password="walnut tractor melody")
    assert answer.url == reverse("metrics:collection", args=[collection.slug])
    assert User.objects.get(username="ada").memberships.get().role == "annotator"
    assert client.get(reverse("annotate:home")).status_code == 200


@pytest.mark.parametrize(
    ("username", "password", "says"),
    [
        ("ada", "short", "too short"),
        ("ada", "password1234", "too common"),
        ("LEAD", "walnut tractor melody", "has this name"),
        ("walnut-tractor", "walnut-tractor", "too similar"),
        ("a b", "walnut tractor melody", "valid username"),
    ],
)
def test_a_weak_password_or_a_taken_name_makes_no_account(
    client, collection, username, password, says
):
    lead = cast.member(collection, Role.LEAD, cast.user("lead"))
    token = accounts.invite(collection=collection, role=Role.ANNOTATOR, by=lead).token
    answer = send(client, "invitation", token, username=username, password=password, status=422)
    assert says in text_of(answer)
    assert User.objects.count() == 1
    assert accounts.open_invitation(token=token)


def test_a_signed_in_person_joins_with_one_click(client, collection):
    token = accounts.invite(
        collection=collection, role=Role.RESEARCHER, by=cast.member(collection, Role.LEAD)
    ).token
    person = cast.user()
    client.force_login(person)
    assert "Join as researcher" in page(client, "invitation", token)
    assert not Membership.objects.filter(user=person).exists()
    send(client, "invitation", token)
    assert Membership.objects.get(user=person).role == "researcher"


def test_nobody_signs_up_without_an_invitation(client):
    assert client.post("/accounts/signup/", {"username": "mallory"}).status_code in {200, 404}
    page(client, "invitation", "guess", status=404)
    send(
        client,
        "invitation",
        "guess",
        username="mallory",
        password="walnut tractor melody",
        status=404,
    )
    assert not User.objects.exists()


def test_members_show_who_is_paused_and_lead_to_each_persons_work(client, collection, lead):
    annotator = cast.annotator(collection)
    accounts.pause_annotator(annotator=annotator)
    members_page = page(client, "members", collection.slug)
    assert (
        "Paused" in members_page
        and reverse("metrics:dashboard-person", args=[collection.slug, annotator.pk])
        in members_page
    )


def test_a_lead_removes_a_member_but_not_the_last_lead(client, collection, lead):
    other = cast.member(collection, Role.RESEARCHER)
    send(client, "member-remove", collection.slug, Membership.objects.get(user=other).pk)
    assert not Membership.objects.filter(user=other).exists()
    send(client, "member-remove", collection.slug, Membership.objects.get(user=lead).pk)
    assert "make somebody else a lead first" in page(client, "home")


def test_guidelines_are_previewed_without_being_stored(client, collection, lead):
    answer = send(
        client,
        "guidelines-preview",
        collection.slug,
        markdown="# New\n<script>x</script>",
        status=200,
    )
    assert ">New</h2>" in text_of(answer)
    assert "<script>x" not in text_of(answer)
    assert collection.guidelines.count() == 1


def test_saved_guidelines_and_wording_are_a_version(client, collection, lead):
    names = {f"name-{grade}": f"Grade {grade}" for grade in range(3)}
    send(client, "guidelines", collection.slug, markdown="# Twice", **names)
    assert collection.guidelines.latest("version").wording[0]["name"] == "Grade 2"
    assert ">Twice</h2>" in page(client, "guidelines", collection.slug)


def test_reasons_are_typed_two_levels_deep_and_shown_as_they_were_typed(client, collection, lead):
    names = {f"name-{grade}": f"Grade {grade}" for grade in range(3)}
    typed = "does not match: quantity, colour; too general, not clear"
    send(
        client,
        "guidelines",
        collection.slug,
        markdown="# Twice",
        **names,
        **{"reasons-1": typed},
    )
    stored = [
        {"name": "does not match", "what": ["quantity", "colour"]},
        "too general",
        "not clear",
    ]
    assert [level.reasons for level in collection.levels.all()] == [[], stored, []]
    assert typed in page(client, "guidelines", collection.slug)
    wrong = send(
        client,
        "guidelines",
        collection.slug,
        markdown="",
        **names,
        **{"reasons-1": "a, A"},
        status=422,
    )
    assert "offers the reason &quot;a&quot; twice" in text_of(wrong)


def test_a_level_without_a_name_is_refused(client, collection, lead):
    send(client, "guidelines", collection.slug, markdown="# Twice", status=422)
    assert collection.guidelines.count() == 1


FIGURES = {
    "labels_per_pair": 2,
    "double_percent": "12.5",
    "ceiling": 4,
    "tolerance": 1,
    "rule": "median",
    "tie": "up",
    "batch_candidates": 10,
    "gold_positives": 0,
    "gold_negatives": 0,
    "lease_minutes": 15,
    "grouped": "on",
    "gold_percent": "50",
    "gold_action": "warn",
    "repeat_percent": "5",
    "repeat_after_days": 3,
    "max_percent": "20",
}


def test_a_changed_policy_is_a_version_told_in_words(client, collection, lead):
    send(client, "policy", collection.slug, **FIGURES)
    policy = Policy.objects.get(version=2)
    assert (str(policy.double_share), policy.rule, policy.by) == ("0.1250", "median", lead)
    text = unescape(re.sub(r"\s+", " ", page(client, "policy", collection.slug)))
    assert "Every pair gets 2 labels, and exactly 12.5 % of a pool's new pairs get one more" in text
    assert "until there are 4" in text
    assert "5 % of a person's pairs come back to them after 3 days" in text
    assert "One person judges at most 20 % of a pool" in text
    assert [str(share) for share in (policy.gold_pass, policy.repeat_share, policy.max_share)] == [
        "0.5000",
        "0.0500",
        "0.2000",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"ceiling": 1},
        {"labels_per_pair": 0},
        {"double_percent": 101},
        {"rule": "loud"},
        {"rule": "unanimous", "tie": "up"},
    ],
)
def test_figures_that_contradict_each_other_are_refused_in_words(client, collection, lead, wrong):
    answer = send(client, "policy", collection.slug, status=422, **{**FIGURES, **wrong})
    assert "field-error" in text_of(answer)
    assert "Constraint" not in text_of(answer)
    assert collection.policies.count() == 1


def test_pay_is_set_changed_and_left_out_again(client, collection, lead):
    for typed, stored in (("18.50", "18.50"), ("", "None")):
        send(client, "pay-change", collection.slug, hourly_pay=typed, currency="CHF")
        collection.refresh_from_db()
        assert (str(collection.hourly_pay), collection.currency) == (stored, "CHF")


@pytest.mark.parametrize(
    "wrong", [{"hourly_pay": "-1"}, {"hourly_pay": "much"}, {"currency": "x" * 13}]
)
def test_a_pay_that_is_no_pay_is_refused(client, collection, lead, wrong):
    answer = send(
        client,
        "pay-change",
        collection.slug,
        status=422,
        **{"hourly_pay": 18, "currency": "CHF", **wrong},
    )
    assert "field-error" in text_of(answer)
    collection.refresh_from_db()
    assert (collection.hourly_pay, collection.currency) == (None, "EUR")


def test_a_lead_says_what_queries_belong_together_by_and_numbers_follow(client, collection, lead):
    text = page(client, "settings", collection.slug)
    assert re.search(r'value="reference"[^>]* checked', text)
    assert (
        "No query and no document carries a group of the upload: by the column, each query stands "
        "by itself." in text
    )
    Item.objects.filter(pk=cast.items(collection, Side.QUERY, 2)[0].pk).update(group="v7")
    answer = send(client, "query-groups-change", collection.slug, query_groups="column")
    text = text_of(client.get(answer.url))
    assert "Saved: the numbers are being computed anew." in text
    assert re.search(r'value="column"[^>]* checked', text)
    assert "1 query carries a group of the upload" in text
    assert list(Change.objects.values_list("collection", "pair")) == [(collection.pk, None)]
    answer = send(client, "query-groups-change", collection.slug, query_groups="column")
    assert "Nothing changed." in text_of(client.get(answer.url))
    assert Change.objects.count() == 1


@pytest.mark.parametrize("wrong", [{}, {"query_groups": ""}, {"query_groups": "moon"}])
def test_what_queries_belong_together_by_is_one_of_three(client, collection, lead, wrong):
    answer = send(client, "query-groups-change", collection.slug, status=422, **wrong)
    assert 'id="id_query_groups_error"' in text_of(answer)
    collection.refresh_from_db()
    assert collection.query_groups == "reference"
    assert not Change.objects.exists()


def test_a_token_for_a_collection_of_others_is_refused(client, collection, lead):
    other = cast.collection()
    send(
        client, "tokens", status=422, name="x", scopes=["qrels:read"], collection=other.pk, days=30
    )
    assert not ApiToken.objects.exists()


def test_a_token_of_somebody_else_cannot_be_revoked(client, collection, lead):
    token = tokens.create_token(user=cast.user(), name="x", scopes=["qrels:read"], days=1).token
    send(client, "token-revoke", token.pk, status=404)
    mine = tokens.create_token(user=lead, name="y", scopes=["qrels:read"], days=1)
    send(client, "token-revoke", mine.token.pk)
    assert tokens.find_token(secret=mine.secret) is None
