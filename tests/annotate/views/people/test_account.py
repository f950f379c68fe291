"""A person's account: mails, forgotten passwords, own data, and being forgotten."""

import json
import re
from datetime import timedelta
from smtplib import SMTPServerDisconnected

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate import tasks
from annotate.models import Collection, Invitation, Membership, Role, User
from annotate.services.people import accounts, invitation_mail
from tests import campaigns, cast
from tests.annotate.sign_in.signing_in import sign_in
from tests.annotate.trainees import go, trained

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "walnut tractor melody"


class DeadServer(BaseEmailBackend):
    """A mail server that hangs up."""

    def send_messages(self, email_messages):
        raise SMTPServerDisconnected("Connection unexpectedly closed")


def link_in(message):
    return re.search(r"https?://[^/\s]+(/\S+)", message.body)[1]


def invited(settings, **fields):
    settings.SENDS_MAIL = True
    collection = cast.collection("shapes")
    lead = cast.member(collection, Role.LEAD)
    arguments = {"role": Role.ANNOTATOR, "email": "ada@example.org", "by_mail": True, **fields}
    return accounts.invite(collection=collection, by=lead, **arguments)


def test_a_forgotten_password_is_chosen_anew_by_a_link_in_a_mail(client):
    person = cast.user("ada", email="ada@example.org")
    client.post(reverse("account_reset_password"), {"email": "ADA@example.org"})
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    answer = client.get(link_in(message), follow=True)
    assert "Choose a password" in answer.content.decode()
    answer = client.post(
        answer.request["PATH_INFO"],
        {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD},
        follow=True,
    )
    person.refresh_from_db()
    assert person.check_password(NEW_PASSWORD)
    assert "no longer works" in client.get(link_in(message), follow=True).content.decode()


def test_a_password_is_changed_by_who_knows_the_old_one_and_the_old_one_ends(client):
    person = cast.user("ada")
    sign_in(client, "ada")
    elsewhere = Client()
    sign_in(elsewhere, "ada")
    address = reverse("account_change_password")
    new_passwords = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    refused = client.post(address, {"oldpassword": "a guess that is wrong", **new_passwords})
    assert "type your current password" in refused.content.decode()
    too_short = {"password1": "walnut trac", "password2": "walnut trac"}
    for bad in (too_short, {**new_passwords, "password2": "walnut tractor harmony"}):
        assert (
            "field-error"
            in client.post(address, {"oldpassword": cast.PASSWORD, **bad}).content.decode()
        )
    person.refresh_from_db()
    assert person.check_password(cast.PASSWORD)
    assert client.post(address, {"oldpassword": cast.PASSWORD, **new_passwords}).status_code == 302
    assert client.get("/").status_code == 200  # she stays signed in here, and nowhere else
    assert elsewhere.get("/").url.startswith(reverse("account_login"))
    client.post(reverse("account_logout"))
    assert sign_in(client, "ada").status_code == 200
    assert client.get("/").status_code == 302
    assert sign_in(client, "ada", NEW_PASSWORD).status_code == 302
    assert client.get("/").status_code == 200


def test_no_mail_is_promised_where_there_is_no_mail_server(client, settings):
    for sends, says in (
        (True, "a link to choose a new password is sent"),
        (False, "so no link can be sent"),
    ):
        settings.SENDS_MAIL = sends
        assert says in client.get(reverse("account_reset_password")).content.decode()


def test_whether_an_address_is_known_is_not_told(client):
    pages = [
        client.post(reverse("account_reset_password"), {"email": email}, follow=True).content
        for email in ("nobody@example.org", cast.user("eve", email="eve@example.org").email)
    ]
    token = re.compile(rb'"[\w-]{64}"')
    assert len({token.sub(b"", body) for body in pages}) == 1


def test_an_invitation_is_mailed_and_its_link_alone_works(client, settings):
    invite = invited(settings)
    tasks.mail_invitation(invitation_id=invite.invitation.pk)
    tasks.mail_invitation(invitation_id=invite.invitation.pk)
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    assert 'join "Shapes" as annotator' in message.body
    assert client.get(reverse("annotate:invitation", args=[invite.token])).status_code == 404
    client.post(link_in(message), {"username": "ada", "password": NEW_PASSWORD})
    assert User.objects.get(username="ada").memberships.get().role == "annotator"


def test_the_subject_of_an_invitation_is_one_line(settings):
    invite = invited(settings)
    Collection.objects.update(name="Bird\rsongs")
    tasks.mail_invitation(invitation_id=invite.invitation.pk)
    assert mail.outbox[0].subject == "Invitation to Bird songs"


def test_a_mail_server_that_hangs_up_is_asked_again_five_times_and_the_page_says_so(
    client, settings
):
    invite = invited(settings)
    client.force_login(invite.invitation.created_by)
    settings.EMAIL_BACKEND = f"{__name__}.DeadServer"
    for _ in range(7):
        invitation_mail.send(invitation=invite.invitation)
    invite.invitation.refresh_from_db()
    assert (invite.invitation.mail_attempts, invite.invitation.mailed_at) == (5, None)
    assert (
        "could not be sent"
        in client.get(reverse("annotate:members", args=["shapes"])).content.decode()
    )


def test_what_was_not_sent_is_found_by_the_sweep_until_it_is(settings):
    invite = invited(settings)
    # just now, however slow this is
    Invitation.objects.update(created_at=timezone.now() + timedelta(days=1))
    assert list(invitation_mail.overdue()) == []
    Invitation.objects.update(created_at="2026-01-01T00:00Z")
    assert list(invitation_mail.overdue()) == [invite.invitation.pk]
    invitation_mail.send(invitation=invite.invitation)
    assert list(invitation_mail.overdue()) == []


def test_a_revoked_invitation_is_not_mailed(settings):
    invite = invited(settings)
    accounts.revoke_invitation(invitation=invite.invitation)
    invitation_mail.send(invitation=invite.invitation)
    assert mail.outbox == []


def test_the_form_promises_no_mail_where_there_is_no_mail_server(client, settings):
    settings.SENDS_MAIL = False
    collection = cast.collection("shapes")
    client.force_login(cast.member(collection, Role.LEAD))
    url = reverse("annotate:members", args=["shapes"])
    assert "This site mails nothing" in client.get(url).content.decode()
    settings.SENDS_MAIL = True
    text = client.get(url).content.decode()
    assert "mails nothing" not in text
    assert "Send the link by e-mail" in text
    post = reverse("annotate:invite", args=["shapes"])
    assert client.post(post, {"role": "annotator", "days": 3, "by_mail": "on"}).status_code == 422
    fields = {"role": "annotator", "days": 3, "by_mail": "on", "email": "ada@example.org"}
    assert client.post(post, fields).status_code == 302
    assert Invitation.objects.get().by_mail


def own(client, **query):
    answer = client.get(reverse("annotate:own-data"), query)
    return (
        json.loads(b"".join(answer.streaming_content))
        if answer.status_code == 200
        else answer.status_code
    )


def test_own_data_hold_all_she_did_and_nothing_of_which_pairs_were_checks(client):
    full = campaigns.campaign("shapes")
    annotator = full.annotators[1]
    client.force_login(annotator.user)
    own_data = own(client)
    assert own_data["account"]["user_name"] == annotator.user.username
    (part,) = own_data["collections"]
    assert part["about"]["name_in_the_data"] == annotator.pseudonym
    assert len(part["judgments"]) == annotator.judgments.count() > 4
    assert {row["comment"] for row in part["judgments"]} == {f"said by {annotator.pseudonym}", ""}
    assert [row["kind"] for row in part["judgments_undone_or_withdrawn"]] == ["undone"]
    text = json.dumps(part)
    for secret in (
        "gold",
        "repeat",
        "purpose",
        "double",
        "because it is so",
        full.annotators[0].pseudonym,
    ):
        assert secret not in text, secret


def test_own_data_tell_of_training_and_reports(client):
    collection = trained("shapes")
    annotator = cast.annotator(collection)
    client.force_login(annotator.user)
    go(annotator, n_wrong=1)
    (part,) = own(client)["collections"]
    assert [row["in_training"] for row in part["judgments"]] == [True] * 5
    assert part["training_tries"][0]["n_right"] == 4
    assert part["about"]["training"][0]["kind"] == "passed"


def test_own_data_of_one_collection_are_asked_for_by_its_name(client):
    person = cast.user()
    for slug in ("shapes", "birds"):
        cast.annotator(cast.collection(slug), person)
    cast.annotator(cast.collection("others"))
    client.force_login(person)
    assert [part["about"]["collection"] for part in own(client)["collections"]] == [
        "Shapes",
        "Birds",
    ]
    assert [
        part["about"]["collection"] for part in own(client, collection="birds")["collections"]
    ] == ["Birds"]
    assert own(client, collection="others") == own(client, collection="nowhere") == 404


def test_own_data_ask_as_often_for_much_as_for_little(client):
    collection = campaigns.open_collection(
        8, "shapes", batch_candidates=4, gold_positives=0, gold_negatives=0
    )
    annotator = cast.annotator(collection)
    client.force_login(annotator.user)
    counts = []
    for _ in range(2):
        campaigns.judge_batch(annotator)
        with CaptureQueriesContext(connection) as queries:
            own(client)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_who_erases_herself_is_signed_out_and_forgotten_and_her_judgments_stay(client):
    full = campaigns.campaign("shapes")
    annotator = full.annotators[0]
    User.objects.filter(pk=annotator.user_id).update(email="ada@example.org")
    Authenticator.objects.create(user=annotator.user, type="totp", data={"secret": "x"})
    client.force_login(annotator.user)
    name, n_judged = annotator.user.username, annotator.judgments.count()
    for wrong in (
        {"username": "somebody", "password": cast.PASSWORD},
        {"username": name, "password": "guess"},
    ):
        assert client.post(reverse("annotate:account-erase"), wrong).status_code == 422
    answer = client.post(
        reverse("annotate:account-erase"), {"username": name, "password": cast.PASSWORD}
    )
    assert answer.url == reverse("account_login")
    annotator.refresh_from_db()
    assert (annotator.user, annotator.judgments.count()) == (None, n_judged)
    assert not User.objects.filter(username=name).exists()
    assert not Authenticator.objects.exists()
    assert client.get("/").status_code == 302
    assert sign_in(client, name).status_code == 200


def test_the_only_lead_and_the_only_admin_cannot_erase_themselves(client):
    collection = cast.collection("shapes")
    lead = cast.member(collection, Role.LEAD)
    admin = cast.user(is_superuser=True)
    for person, says in (
        (lead, "only lead of Shapes"),
        (admin, "only one who looks after this site"),
    ):
        client.force_login(person)
        fields = {"username": person.username, "password": cast.PASSWORD}
        answer = client.post(reverse("annotate:account-erase"), fields)
        assert says in answer.content.decode()
    assert Membership.objects.filter(user=lead).exists()
