"""The running product in a real browser."""

from playwright.sync_api import Page, expect

from tests.servers.stack import Stack


def test_a_lead_signs_in_and_the_browser_has_nothing_to_complain_about(
    live_stack: Stack, page: Page
) -> None:
    complaints: list[str] = []
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    foreign: list[str] = []
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith(live_stack.url) else foreign.append(request.url)
        ),
    )
    name, password = live_stack.sign_in("lead")
    page.goto(f"{live_stack.url}/accounts/login/")
    page.fill("[name=login]", name)
    page.fill("[name=password]", password)
    page.click("main [type=submit]")
    expect(page).to_have_url(f"{live_stack.url}/")
    assert complaints == []
    assert foreign == []
