"""Change of a person's address: asked for with her password, done by the link sent to it.

To see these tests fail: let `email_change.address_in_link` not compare the person or the address of
before, or send no mail to an address that somebody has.
"""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.urls import NoReverseMatch, reverse

from annotate.models import User
from annotate.services.people import email_change
from tests import cast
from tests.annotate.views.people.test_account import DeadServer

pytestmark = pytest.mark.django_db
NEW = "ada@new.example"


@pytest.fixture
def ada(client, settings):
    settings.SENDS_MAIL = True
    person = cast.user("ada", email="ada@old.example")
    client.force_login(person)
    return person


def ask(client, email=NEW, password=cast.PASSWORD):
    return client.post(
        reverse("annotate:account-email"), {"email": email, "password": password}, follow=True
    )


def link():
    return re.search(r"https?://[^/\s]+(/account/email/\S+)", mail.outbox[-1].body)[1]


def sign_in(client, name):
    client.logout()
    return client.post(reverse("account_login"), {"login": name, "password": cast.PASSWORD})


def test_an_address_is_hers_once_she_has_opened_the_link(client, ada):
    sign_in(client, "ada@old.example")  # leaves allauth's copy of the address
    assert "on its way to ada@new.example" in ask(client).content.decode()
    assert mail.outbox[-1].to == [NEW]
    assert NEW in client.get(link()).content.decode()
    assert User.objects.get(pk=ada.pk).email == "ada@old.example"  # looking changes nothing
    assert (
        "Your address is ada@new.example now." in client.post(link(), follow=True).content.decode()
    )
    assert User.objects.get(pk=ada.pk).email == NEW
    assert not EmailAddress.objects.filter(email="ada@old.example").exists()
    assert sign_in(client, "ada@old.example").status_code == 200
    assert sign_in(client, NEW).status_code == 302
    assert client.get(link()).status_code == 404  # it served once


def test_a_link_serves_its_own_person_until_it_has_run_out(client, ada, monkeypatch):
    ask(client)
    path = link()
    assert email_change.VALID_FOR.total_seconds() == 86_400
    with monkeypatch.context() as patch:
        patch.setattr(email_change, "VALID_FOR", timedelta(seconds=-1))
        assert client.post(path).status_code == 404
    client.force_login(cast.user("eve", email="eve@example.org"))
    assert client.post(path).status_code == 404
    client.logout()
    assert client.get(path).url.startswith(reverse("account_login"))
    assert set(User.objects.values_list("email", flat=True)) == {
        "ada@old.example",
        "eve@example.org",
    }


def test_who_asks_for_an_address_that_somebody_has_learns_nothing_and_its_owner_is_told(
    client, ada
):
    cast.user("eve", email="Eve@example.org")
    addresses = ("eve@example.org", "bob@example.org")
    pages = [re.sub(rb'"[\w-]{64}"', b"", ask(client, email).content) for email in addresses]
    assert pages[0].replace(b"eve@", b"bob@") == pages[1]
    mail_to_owner, mail_to_free_address = mail.outbox
    assert (
        "/account/email/" in mail_to_free_address.body
        and "/account/email/" not in mail_to_owner.body
    )
    assert "nothing was changed" in mail_to_owner.body and "ada" not in mail_to_owner.body


def test_an_address_that_somebody_got_meanwhile_is_not_taken(client, ada):
    ask(client)
    cast.user("eve", email=NEW.upper())
    assert client.post(link()).status_code == 404
    assert User.objects.get(pk=ada.pk).email == "ada@old.example"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"password": "wrong"}, "This is not your password."),
        ({"email": "nonsense"}, "Enter a valid email address."),
        ({"email": "ada@old.example"}, "This is your address already."),
        ({"email": "a\0@b.example"}, "Null characters"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_words(client, ada, fields, message):
    answer = ask(client, **fields)
    assert (answer.status_code, mail.outbox) == (422, [])
    assert message in answer.content.decode()


def test_a_mail_server_that_hangs_up_is_told_of_and_nothing_changes(client, ada, settings):
    settings.EMAIL_BACKEND = f"{DeadServer.__module__}.DeadServer"
    answer = ask(client)
    assert answer.status_code == 422
    assert "The mail server does not answer" in answer.content.decode()


def test_where_no_mail_is_sent_the_page_says_who_changes_addresses(client, ada, settings):
    settings.SENDS_MAIL = False
    assert "admin changes it" in client.get(reverse("annotate:account-email")).content.decode()
    assert ask(client).status_code == 422


def test_the_librarys_own_pages_for_addresses_are_closed(client, ada):
    assert client.post("/accounts/email/", {"action_add": "", "email": NEW}).url == reverse(
        "annotate:account-email"
    )
    assert client.get("/accounts/confirm-email/").status_code == 404
    with pytest.raises(NoReverseMatch):
        reverse("account_confirm_email", args=["x"])
    assert not EmailAddress.objects.exists()
