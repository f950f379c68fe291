"""Secrets of second factors lie encrypted; where SECRET_KEY changes, a fallback still reads them.

To see these tests fail: let `encrypt` give back its text, or leave the fallbacks out of `cipher`.
"""

import json

import pytest
from allauth.mfa.models import Authenticator
from django.db import connection
from django.urls import reverse

from annotate.sign_in.accounts_adapter import MARK, SecondFactorAdapter
from tests import cast
from tests.annotate.sign_in.signing_in import code_for, sign_in, switch_on

OLD, NEW = "o" * 64, "n" * 64
adapter = SecondFactorAdapter()


def test_what_is_encrypted_comes_back_and_looks_different_each_time(settings):
    one, two = adapter.encrypt("JBSWY3DP"), adapter.encrypt("JBSWY3DP")
    assert one != two and "JBSWY3DP" not in one + two
    assert adapter.decrypt(one) == adapter.decrypt(two) == "JBSWY3DP"


def test_what_was_stored_before_is_read_as_it_is():
    assert adapter.decrypt("JBSWY3DP") == "JBSWY3DP"


def test_an_older_key_reads_as_a_fallback_and_the_new_one_writes(settings):
    settings.SECRET_KEY = OLD
    before = adapter.encrypt("JBSWY3DP")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    assert adapter.decrypt(before) == "JBSWY3DP"
    after = adapter.encrypt("JBSWY3DP")
    settings.SECRET_KEY_FALLBACKS = []
    assert adapter.decrypt(after) == "JBSWY3DP"


def test_without_the_key_nobody_gets_the_secret_and_the_log_says_why(settings, caplog):
    settings.SECRET_KEY = OLD
    before = adapter.encrypt("JBSWY3DP")
    settings.SECRET_KEY = NEW
    assert adapter.decrypt(before) != adapter.decrypt(before) != "JBSWY3DP"
    assert "SECRET_KEY was changed" in caplog.text


@pytest.mark.django_db
@pytest.mark.usefixtures("frozen_codes")
def test_no_row_of_a_second_factor_holds_its_secret_and_its_codes_work(client, settings):
    person = cast.user("ada")
    sign_in(client, "ada")
    secret = switch_on(client)
    client.get(reverse("mfa_view_recovery_codes"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT data FROM mfa_authenticator")
        rows = [
            json.loads(data) if isinstance(data, str) else data for (data,) in cursor.fetchall()
        ]
    assert secret not in json.dumps(rows)
    assert len(rows) == 2 and all(
        row.get("secret", row.get("seed")).startswith(MARK) for row in rows
    )
    codes = Authenticator.objects.get(user=person, type="recovery_codes").wrap().get_unused_codes()
    client.post(reverse("account_logout"))
    sign_in(client, "ada")
    assert client.get("/").status_code == 302
    client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert client.get("/").status_code == 200


@pytest.mark.django_db
@pytest.mark.usefixtures("frozen_codes")
def test_a_factor_of_a_lost_key_lets_nobody_in_and_breaks_no_page(client, settings):
    cast.user("ada")
    sign_in(client, "ada")
    secret = switch_on(client)
    client.post(reverse("account_logout"))
    Authenticator.objects.filter(type="totp").update(data={"secret": MARK + "gAAAAAunreadable"})
    sign_in(client, "ada")
    answer = client.post(reverse("mfa_authenticate"), {"code": code_for(secret, 0)})
    assert answer.status_code == 200 and answer.context["form"].errors
    assert client.get("/").status_code == 302
