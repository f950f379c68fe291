"""Second factors: codes, recovery codes, and what leads see before they have one."""

import base64
import re
from html import escape, unescape
from urllib.parse import urlencode

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from annotate.models import Role
from tests import cast
from tests.annotate.sign_in.signing_in import code_for, sign_in, switch_on
from tests.annotate.trainees import trained
from tests.servers.clocks import MOMENT

pytestmark = pytest.mark.django_db


def test_a_code_is_that_of_the_standards_own_table():
    secret = base64.b32encode(b"12345678901234567890").decode()
    assert [code_for(secret, moment) for moment in (59, 1111111109, 2000000000)] == [
        "287082",
        "081804",
        "279037",
    ]


@pytest.mark.usefixtures("frozen_codes")
def test_with_a_second_factor_the_password_alone_lets_nobody_in(client):
    cast.user("ada")
    sign_in(client, "ada")
    secret = switch_on(client)
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    client.post(reverse("account_logout"))
    answer = sign_in(client, "ada")
    assert answer.url == reverse("mfa_authenticate")
    assert client.get("/").status_code == 302
    wrong = code_for(secret, MOMENT + 3600)
    client.post(reverse("mfa_authenticate"), {"code": wrong})
    assert client.get("/").status_code == 302
    client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert client.get("/").status_code == 200
    client.post(reverse("account_logout"))
    sign_in(client, "ada")
    client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert client.get("/").status_code == 302


@pytest.mark.usefixtures("frozen_codes")
def test_a_second_factor_leads_back_like_a_plain_sign_in(client):
    cast.user("ada")
    sign_in(client, "ada")
    switch_on(client)
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    client.post(reverse("account_logout"))
    login = f"{reverse('account_login')}?next=/c/shapes/judge/signed-in"
    assert 'name="next" value="/c/shapes/judge/signed-in"' in client.get(login).content.decode()
    person = {"login": "ada", "password": cast.PASSWORD, "next": "/c/shapes/judge/signed-in"}
    assert client.post(login, person).url.startswith(reverse("mfa_authenticate"))
    assert client.post(reverse("mfa_authenticate"), {"code": "000000"}).status_code == 200
    passed = client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert (passed.status_code, passed.url) == (302, "/c/shapes/judge/signed-in")


@pytest.mark.usefixtures("frozen_codes")
def test_who_signs_in_as_somebody_else_before_the_second_factor_goes_on_to_the_same_page(client):
    cast.user("ada")
    sign_in(client, "ada")
    switch_on(client)
    client.post(reverse("account_logout"))
    page = "/c/shapes/explorer/?q=1&show=all"
    person = {"login": "ada", "password": cast.PASSWORD, "next": page}
    client.post(reverse("account_login"), person)
    text = client.get(reverse("mfa_authenticate")).content.decode()
    (address,) = re.findall(r'name="next" value="([^"]+)"', text)
    answer = client.post(reverse("account_logout"), {"next": unescape(address)}, follow=True)
    assert f'name="next" value="{escape(page)}"' in answer.content.decode()


@pytest.mark.django_db(transaction=True)  # what sets one up tells so once that is committed
@pytest.mark.usefixtures("frozen_codes")
@pytest.mark.parametrize("is_required", [False, True])
def test_where_leads_need_a_second_factor_they_set_it_up_before_any_lead_page(
    client, settings, is_required
):
    settings.LEADS_NEED_MFA = is_required
    collection = trained("shapes")
    cast.annotator(collection, cast.member(collection, Role.LEAD, cast.user("lead")))
    sign_in(client, "lead")
    pages = [reverse(f"annotate:{name}", args=["shapes"]) for name in ("members", "training-setup")]
    pages += [reverse(f"metrics:{name}", args=["shapes"]) for name in ("collection", "dashboard")]
    pages.append(reverse("annotate:collection-new"))
    for page in pages:
        answer = client.get(page)
        assert (
            answer.status_code == 302 and answer.url == reverse("mfa_activate_totp")
        ) is is_required, page
    pages += [
        reverse(name)
        for name in ("annotate:home", "annotate:account", "annotate:tokens", "mfa_index")
    ]
    pages.append(reverse("annotate:training", args=["shapes"]))
    switch_on(client)
    assert {client.get(page).status_code for page in pages} == {200}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("frozen_codes")
def test_a_session_that_has_passed_no_second_factor_opens_nothing_of_a_lead(client, settings):
    """Her having one is no proof: this session, from before it, knows a password alone."""
    settings.LEADS_NEED_MFA = True
    collection = cast.collection("shapes")
    lead = cast.member(collection, Role.LEAD, cast.user("lead"))
    cast.annotator(collection, lead)
    before, boss = Client(), Client()
    sign_in(before, "lead"), sign_in(client, "lead")
    secret = switch_on(client)
    assert client.get("/").status_code == 200
    boss.force_login(cast.user("boss", is_superuser=True, is_staff=True))
    assert boss.get(reverse("admin:index")).url == reverse("mfa_activate_totp")
    names = [
        ("annotate:members", ["shapes"]),
        ("annotate:account", []),
        ("annotate:tokens", []),
        ("mfa_index", []),
        ("annotate:own-data", []),
        ("annotate:judge", ["shapes"]),
        ("mfa_deactivate_totp", []),
        ("account_change_password", []),
        ("mfa_view_recovery_codes", []),
    ]
    for name, arguments in names:
        page = reverse(name, args=arguments)
        reauthenticate_url = f"{reverse('mfa_reauthenticate')}?{urlencode({'next': page})}"
        for answer in (before.get(page), before.post(page)):
            assert (answer.status_code, answer.url) == (302, reauthenticate_url), name
    judging = before.post(
        reverse("annotate:judge-next", args=["shapes"]), headers={"referer": "http://a/c/shapes/"}
    )
    assert (judging.status_code, judging.json()["error"]) == (401, "signed_out")
    assert judging.json()["sign_in"] == f"{reverse('mfa_reauthenticate')}?next=%2Fc%2Fshapes%2F"
    wrong = before.post(reverse("mfa_reauthenticate"), {"code": "000000"})
    assert wrong.status_code == 200 and before.get("/").status_code == 302
    passed = before.post(
        f"{reverse('mfa_reauthenticate')}?next=/c/shapes/", {"code": code_for(secret, MOMENT)}
    )
    assert (passed.status_code, passed.url) == (302, "/c/shapes/")
    assert before.get("/c/shapes/").status_code == 200


def test_annotators_need_no_second_factor_where_leads_do(client, settings):
    settings.LEADS_NEED_MFA = True
    client.force_login(cast.annotator(cast.collection("shapes")).user)
    assert client.get(reverse("metrics:collection", args=["shapes"])).status_code == 200
