"""The first account of a site, links that set a password, and what a site without mail logs."""

import io
import logging
import re

import pytest
from django.conf import settings
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from annotate.models import User
from annotate.services.people import accounts, site_accounts
from config.loopback import is_loopback
from config.up import first_start
from config.up.home import Home
from tests import cast

pytestmark = pytest.mark.django_db
PASSWORD = "some quite unrelated words"


def printed(*command: str, **options: str) -> str:
    output = io.StringIO()
    call_command(*command, stdout=output, **options)
    return output.getvalue()


def path_in(text: str) -> str:
    (link,) = re.findall(rf"{re.escape(settings.SITE_URL)}(\S+)", text)
    return link


def choose(path: str) -> Client:
    """Open a link and choose a password."""
    client = Client()
    page = client.get(path, follow=True)
    form = page.request["PATH_INFO"]
    client.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    return client


def test_the_first_account_is_made_without_a_password_and_its_link_works_once() -> None:
    output = printed("make_admin", "root", email="root@example.org")
    user = User.objects.get(username="root")
    assert (user.is_staff, user.is_superuser, user.email) == (True, True, "root@example.org")
    assert not user.has_usable_password()
    path = path_in(output)
    choose(path)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert Client().login(username="root", password=PASSWORD)
    user.set_password("another quite unrelated words")
    user.save()
    choose(path)
    user.refresh_from_db()
    assert not user.check_password(PASSWORD)


def test_an_account_that_is_there_looks_after_the_site_and_keeps_its_password() -> None:
    user = cast.user("mia")
    user.set_password(PASSWORD)
    user.save()
    output = printed("make_admin", "Mia")
    user.refresh_from_db()
    assert user.is_superuser and user.check_password(PASSWORD)
    assert "The password stays" in output and "http" not in output
    choose(path_in(printed("password_link", "mia")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a b"], "valid username"),
        (["x" * 151], "150"),
        (["a", "--email=no"], "valid email"),
        ([], "Say whose"),
    ],
)
def test_an_account_that_cannot_be_is_refused_with_its_reason(
    arguments: list[str], message: str, monkeypatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(CommandError, match=message):
        printed("make_admin", *arguments)
    assert not User.objects.exists()


def test_no_link_is_made_for_an_account_that_nobody_can_sign_in_to() -> None:
    cast.user("gone", is_active=False)
    for name in ("gone", "nobody"):
        with pytest.raises(CommandError, match="no link was made"):
            printed("password_link", name)


@override_settings(EMAIL_BACKEND="config.site.mail.NoMail", SENDS_MAIL=False)
def test_without_a_mail_server_a_forgotten_password_leaves_no_link_in_the_log(
    caplog, capfd
) -> None:
    cast.user("mia", email="mia@example.org")
    with caplog.at_level(logging.DEBUG):
        answer = Client().post("/accounts/password/reset/", {"email": "mia@example.org"})
    assert answer.status_code == 302
    out, err = capfd.readouterr()
    log_and_output = caplog.text + out + err
    assert "1 mail was not sent" in log_and_output and "password_link" in log_and_output
    assert (
        "/accounts/password/reset/key/" not in log_and_output
        and "mia@example.org" not in log_and_output
    )


@override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend")
def test_with_a_mail_server_the_link_goes_out() -> None:
    cast.user("mia", email="mia@example.org")
    Client().post("/accounts/password/reset/", {"email": "mia@example.org"})
    assert "/accounts/password/reset/key/" in mail.outbox[0].body


def test_demo_accounts_are_closed_unless_their_password_was_changed(tmp_path) -> None:
    passwords = first_start.passwords(Home(tmp_path))
    accounts.ensure_demo_accounts(passwords=passwords)
    lead = User.objects.get(username="lead")
    lead.set_password(PASSWORD)
    lead.save()
    browser = Client()
    browser.force_login(User.objects.get(username="admin"))
    assert site_accounts.close_demo_accounts(passwords=passwords) == [
        "admin",
        "annotator",
        "researcher",
    ]
    assert not Client().login(username="admin", password=passwords["admin"])
    assert Client().login(username="lead", password=PASSWORD)
    assert browser.get("/admin/").status_code == 302
    assert site_accounts.close_demo_accounts(passwords=passwords) == []


def test_demo_accounts_are_known_by_their_passwords_or_in_a_copy_of_the_database_by_themselves(
    tmp_path,
) -> None:
    passwords = first_start.passwords(Home(tmp_path))
    accounts.ensure_demo_accounts(passwords=passwords)
    before = User.objects.get(username="annotator")  # as older versions made it
    before.set_password(passwords["annotator"])
    before.save()
    lead = User.objects.get(username="lead")
    lead.set_password(PASSWORD)
    lead.save()
    cast.user("maria")

    def names(passwords: dict[str, str]) -> list[str]:
        return [user.username for user in site_accounts.open_demo_accounts(passwords=passwords)]

    assert names(passwords) == ["admin", "annotator", "researcher"]
    assert names({}) == ["admin", "researcher"]
    # to whom nobody can sign in
    User.objects.filter(username__in=["admin", "annotator"]).update(is_active=False)
    assert names(passwords) == ["researcher"]
    assert site_accounts.close_demo_accounts(passwords=passwords) == [
        "admin",
        "annotator",
        "researcher",
    ]


@pytest.mark.parametrize(
    ("site_url", "is_local"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://localhost", True),
        ("http://[::1]:80", True),
        ("http://127.8.8.8", True),
        ("https://judge.example.org", False),
        ("http://192.168.1.7:8000", False),
        ("http://0.0.0.0:8000", False),
        ("http://localhost.example.org", False),
    ],
)
def test_sign_ins_are_shown_on_this_machine_alone_and_never_the_admin_s(
    tmp_path, site_url, is_local
) -> None:
    home = Home(tmp_path)
    lines = first_start.sign_in_lines(home, site_url)
    passwords = first_start.passwords(home)
    assert passwords["admin"] not in lines
    assert (passwords["lead"] in lines) == is_local
    assert ("make_admin" in lines) != is_local


def test_a_public_address_has_no_demo_accounts(tmp_path, settings) -> None:
    settings.HOME, settings.IS_LOCAL = Home(tmp_path), False
    first_start.note_static_files(settings.HOME)
    (tmp_path / "static").mkdir()
    printed("prepare")
    assert not User.objects.exists()
    accounts.ensure_demo_accounts(passwords=first_start.passwords(settings.HOME))
    output = printed("prepare")
    assert (
        "The demo accounts admin, annotator, lead, researcher are closed." in output
        and "make_admin" in output
    )
    settings.IS_LOCAL = True
    printed("prepare")
    assert Client().login(username="lead", password=first_start.passwords(settings.HOME)["lead"])


def test_hosts_are_told_apart_by_their_numbers_too() -> None:
    assert [is_loopback(host) for host in ("::1", "::", "127.1.2.3", "", "10.0.0.1")] == [
        True,
        False,
        True,
        False,
        False,
    ]
