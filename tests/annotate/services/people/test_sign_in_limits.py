"""Wrong passwords: nobody guesses one, and no stranger locks anybody out."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotate import tasks
from annotate.models import Role, SignInTry
from annotate.services.people import accounts, sign_in_limits
from tests import cast

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"
STRANGER, HOME, CLASSROOM = "203.0.113.7", "198.51.100.4", "192.0.2.9"


def attempt(client, login, password="a wrong guess", address=HOME, **headers):
    """Whether it let somebody in."""
    answer = client.post(
        LOGIN, {"login": login, "password": password}, REMOTE_ADDR=address, **headers
    )
    is_in = answer.status_code == 302
    assert is_in or "field-error" in answer.content.decode() or "notice" in answer.content.decode()
    return is_in


def right(client, login, address=HOME, **headers):
    is_in = attempt(client, login, cast.PASSWORD, address, **headers)
    client.post(reverse("account_logout"))
    return is_in


@pytest.fixture
def maria():
    return cast.user("maria", email="maria@example.org")


def test_a_stranger_locks_out_nobody_but_from_where_she_tries(maria):
    known = Client()
    assert right(known, "maria", STRANGER)
    for _ in range(60):
        assert not attempt(Client(), "maria", address=STRANGER)
    assert not right(Client(), "maria", STRANGER)
    assert right(Client(), "maria", HOME)
    assert right(known, "maria", STRANGER)


def test_five_wrong_passwords_at_one_name_from_one_address_are_enough(maria):
    for _ in range(5):
        assert not attempt(Client(), "maria")
    assert not right(Client(), "maria")
    SignInTry.objects.update(at=SignInTry.objects.first().at - sign_in_limits.SHORT)
    assert right(Client(), "maria")


def test_a_patient_stranger_uses_up_nobodys_tries_elsewhere(maria):
    for _ in range(5):
        for _ in range(5):
            attempt(Client(), "maria", address=STRANGER)
        # her five of the last minutes are over
        SignInTry.objects.update(at=F("at") - sign_in_limits.SHORT)
    assert SignInTry.objects.count() == sign_in_limits.PERSON_HERE_LONG
    assert right(Client(), "maria")


def test_name_and_address_of_mail_are_one_account(maria):
    for login in ("maria", "MARIA@example.org", " Maria", "maria@example.org", "MARIA"):
        assert not attempt(Client(), login)
    assert not right(Client(), "maria") and not right(Client(), "maria@example.org")


def test_names_without_an_account_are_limited_alike():
    for login in ("nobody", "NOBODY", "Nobody", "nobody", "nobody"):
        assert not attempt(Client(), login)
    forms = [{"login": name, "password": "x"} for name in ("nobody", "other")]
    answers = [Client().post(LOGIN, form, REMOTE_ADDR=HOME).content.decode() for form in forms]
    assert ["wrong too often" in answer for answer in answers] == [True, False]


def test_a_hundred_wrong_ones_from_one_address_are_enough_whatever_the_names(maria):
    for n in range(100):
        assert not attempt(Client(), f"name {n}", address=CLASSROOM)
    assert not right(Client(), "maria", CLASSROOM)
    assert right(Client(), "maria", HOME)


def test_from_many_addresses_fifty_at_one_name_are_enough_but_not_where_she_has_been_before(maria):
    known = Client()
    assert right(known, "maria")
    for n in range(50):
        assert not attempt(Client(), "maria", address=f"203.0.113.{n}")
    assert not right(Client(), "maria")
    assert right(known, "maria")


def test_a_known_browser_guesses_no_more_than_any_other(maria):
    known = Client()
    assert right(known, "maria")
    for n in range(5):
        assert not attempt(known, "maria", address=f"203.0.113.{n}")
    assert not right(known, "maria")
    assert right(Client(), "maria")


def test_a_browser_is_known_for_those_who_signed_in_there_alone(maria):
    cast.user("ada")
    known = Client()
    assert right(known, "ada")
    for _ in range(5):
        assert not attempt(known, "maria")
    assert not right(known, "maria") and not right(Client(), "maria")
    assert right(known, "ada")


@pytest.mark.parametrize("forged", ["", "x", "WyJhIixbMV1d:1abc:x"])
def test_a_browser_that_says_so_itself_is_not_known(maria, forged):
    client = Client()
    client.cookies["browser"] = forged
    for _ in range(5):
        attempt(client, "maria")
    assert not right(Client(), "maria")


def test_right_passwords_count_for_nothing(maria):
    for _ in range(8):
        assert right(Client(), "maria")
    assert not SignInTry.objects.exists()


def test_who_signed_up_here_is_known_here():
    link = accounts.invite(collection=cast.collection(), role=Role.ANNOTATOR, by=cast.user("lead"))
    client = Client()
    client.post(
        reverse("annotate:invitation", args=[link.token]),
        {"username": "ada", "password": cast.PASSWORD},
    )
    assert "browser" in client.cookies


@pytest.mark.parametrize("behind_proxy", [False, True])
def test_who_invents_where_she_comes_from_passes_no_limit(maria, settings, behind_proxy):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = int(behind_proxy)
    for n in range(5):
        told = f"10.0.0.{n}, 10.1.0.{n}" + (f", {STRANGER}" if behind_proxy else "")
        assert not attempt(Client(), "maria", HTTP_X_FORWARDED_FOR=told)
    last = f"10.9.9.9, {STRANGER}" if behind_proxy else "10.9.9.9"
    assert not right(Client(), "maria", HTTP_X_FORWARDED_FOR=last)


def test_limits_outlast_the_cache(maria):
    for _ in range(5):
        attempt(Client(), "maria")
    cache.clear()
    assert not right(Client(), "maria")


def test_a_new_password_from_a_mail_lets_her_begin_anew(maria):
    for _ in range(5):
        attempt(Client(), "maria")
    client = Client()
    client.post(reverse("account_reset_password"), {"email": "maria@example.org"})
    address = mail.outbox[0].body.split("http://testserver")[1].split()[0]
    page = client.get(address, follow=True).request["PATH_INFO"]
    client.post(page, {"password1": "walnut tractor melody", "password2": "walnut tractor melody"})
    assert attempt(Client(), "maria", "walnut tractor melody")


def test_tries_are_forgotten_within_the_hour_and_name_nobody(maria):
    attempt(Client(), "maria", address=STRANGER)
    row = SignInTry.objects.get()
    assert STRANGER not in row.address and "maria" not in row.person and row.person != str(maria.pk)
    tasks.sweep()
    assert SignInTry.objects.exists()
    SignInTry.objects.update(at=row.at - timedelta(hours=1))
    tasks.sweep()
    assert not SignInTry.objects.exists()


def test_the_administration_has_no_door_of_its_own(maria):
    boss = cast.user("boss", is_superuser=True, is_staff=True)
    client = Client()
    form = {"username": "boss", "password": cast.PASSWORD}
    answer = client.post(reverse("admin:login"), form)
    assert (
        answer.status_code == 302
        and answer.url.startswith(LOGIN)
        and "_auth_user_id" not in client.session
    )
    client.force_login(maria)
    assert client.get(reverse("admin:login")).status_code == 404
    assert client.get(reverse("admin:index")).status_code == 302
    client.force_login(boss)
    assert client.get(reverse("admin:index")).status_code == 200
    assert client.post(reverse("admin:password_change"), form).url == reverse(
        "account_change_password"
    )
