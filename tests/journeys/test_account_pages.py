"""Account pages that require a recent sign-in, in the order in which a person meets them."""

from collections.abc import Callable, Iterator

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.core import signing
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect

from annotate.models import User
from annotate.services.people import email_change
from tests import cast
from tests.addresses.page_checks import check_page
from tests.annotate.sign_in.signing_in import code_for
from tests.servers.clocks import MOMENT

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> User:
    return cast.user("ada", email="ada@example.org")


@pytest.fixture
def tab(context: BrowserContext, live_server: object) -> Iterator[Page]:
    """A tab that may neither raise errors nor send requests to other hosts."""
    complaints: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            request.url.startswith((live_server.url, "data:")) or complaints.append(request.url)
        ),
    )
    yield page
    assert complaints == []


@pytest.fixture
def check_tab(
    tab: Page, live_server: object, request: pytest.FixtureRequest
) -> Callable[..., None]:
    """Function that checks title and looks of a page, opened by URL name or already open."""

    def act(title: str, name: str = "", *arguments: object) -> None:
        if name:
            tab.goto(live_server.url + reverse(name, args=arguments))
        expect(tab.get_by_role("heading", level=1)).to_have_text(title)
        check_page(tab, full=request.config.getoption("--full"))

    return act


def sign_in(tab: Page, url: str) -> None:
    tab.goto(url + reverse("account_login"))
    tab.locator("[name=login]").fill("ada")
    tab.locator("[name=password]").fill(cast.PASSWORD)
    tab.locator("[name=password]").press("Enter")


@pytest.mark.usefixtures("frozen_codes")
def test_a_second_factor_is_set_up_used_and_switched_off(live_server, tab, check_tab, ada):
    sign_in(tab, live_server.url)
    expect(tab).to_have_url(live_server.url + "/")
    check_tab("Confirm that it is you", "mfa_activate_totp")
    tab.locator("[name=password]").fill(cast.PASSWORD)
    tab.get_by_role("button", name="Go on").click()
    check_tab("Set up the second factor")
    tab.locator("[name=code]").fill("000000")
    tab.get_by_role("button", name="Switch it on").click()
    expect(tab.locator("[name=code]")).to_have_attribute("aria-invalid", "true")
    check_tab("Set up the second factor")
    secret = tab.locator("#authenticator_secret").input_value()
    tab.locator("[name=code]").fill(code_for(secret, MOMENT))
    tab.get_by_role("button", name="Switch it on").click()
    check_tab("Recovery codes")
    codes = tab.locator(".codes code").all_text_contents()
    check_tab("Second factor", "mfa_index")
    check_tab("Make new recovery codes?", "mfa_generate_recovery_codes")
    tab.context.clear_cookies()
    sign_in(tab, live_server.url)
    check_tab("Second factor")
    tab.locator("[name=code]").fill(codes[0])
    tab.get_by_role("button", name="Sign in", exact=True).click()
    expect(tab).to_have_url(live_server.url + "/")
    tab.goto(live_server.url + reverse("mfa_deactivate_totp"))
    check_tab("Confirm that it is you", "mfa_reauthenticate")
    tab.locator("[name=code]").fill(codes[1])
    tab.get_by_role("button", name="Go on").click()
    check_tab("Switch off the second factor?", "mfa_deactivate_totp")
    tab.get_by_role("button", name="Switch it off").click()
    check_tab("Second factor")
    expect(tab.locator("main")).to_contain_text("Off")


def test_a_link_from_a_mail_leads_to_a_page_like_others(live_server, tab, check_tab, ada):
    key = f"{user_pk_to_url_str(ada)}-{default_token_generator.make_token(ada)}"
    tab.goto(f"{live_server.url}/accounts/password/reset/key/{key}/")
    check_tab("Choose a password")
    sign_in(tab, live_server.url)
    expect(tab).to_have_url(live_server.url + "/")
    token = signing.dumps([ada.pk, ada.email, "ada@example.com"], salt=email_change.SALT)
    check_tab("Your e-mail address", "annotate:account-email-confirm", token)
    check_tab("Your e-mail address", "annotate:account-email-confirm", token + "x")
    expect(tab.locator("main")).to_contain_text("This link was used already")
