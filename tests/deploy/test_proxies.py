"""The product behind nginx and Caddy with the files of deploy/: allowed and refused requests."""

import json
import re
from itertools import count
from pathlib import Path
from urllib.request import Request

import pytest

from annotate.models import Import
from annotate.models.people import Role
from config.up.processes import wait_until
from config.web.worker import SLOW
from tests import cast
from tests.deploy.conftest import UPLOAD_MAX_MB, Site
from tests.deploy.proxies import NAME, PATIENCE, Proxy

pytestmark = [pytest.mark.full]
MB = 2**20
NUMBERS = count()
LINE = b'{"side": "document", "id": "%d", "text": "' + b"x" * 900 + b'"}\n'


def upload(browser, slug, n_bytes):
    """Send a file of items by the form of its page."""
    page = f"/c/{slug}/imports/items/"
    browser.get(page)
    field = (
        b'--b\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
        + browser.csrf.encode()
    )
    file = b'\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="items.jsonl"\r\n\r\n'
    lines = b"".join(LINE % number for number in range(n_bytes // len(LINE) + 1))
    body, kind = (
        field + file + lines + b"\r\n--b--\r\n",
        {"Content-Type": "multipart/form-data; boundary=b"},
    )
    return lines, browser.opener.open(Request(browser.base + page, body, kind), timeout=240)


@pytest.fixture
def slug(site: Site, proxy: Proxy) -> str:
    """A collection whose researcher has the name of the collection."""
    slug = f"{proxy.kind}-{next(NUMBERS)}"
    with site.orm():
        cast.member(cast.collection(slug), Role.RESEARCHER, site.person(slug))
    return slug


def test_no_page_leads_round_in_circles_and_plain_http_leads_to_https(proxy):
    assert proxy.ask("/accounts/login/").status == 200
    answer = proxy.ask("/")
    assert (answer.status, answer.headers["Location"]) == (302, "/accounts/login/?next=/")
    assert "max-age=31536000" in answer.headers["Strict-Transport-Security"]
    assert "Sign in" not in proxy.ask("/accounts/login/", Host="other.example").read().decode()
    # nobody says for himself that he came by https
    for headers in ({}, {"X-Forwarded-Proto": "https"}):
        plain = proxy.ask_without_tls("/accounts/login/?a=b", **headers)
        assert plain.status in (301, 308)
        assert re.fullmatch(
            rf"https://{NAME}(:\d+)?/accounts/login/\?a=b", plain.headers["Location"]
        )


def test_one_signs_in_with_cookies_for_https_alone(proxy, slug):
    browser = proxy.browser()
    browser.sign_in(slug)
    assert slug in browser.get("/")
    cookies = next(
        handler.cookiejar for handler in browser.opener.handlers if hasattr(handler, "cookiejar")
    )
    assert {"__Host-sessionid"} <= {cookie.name for cookie in cookies if cookie.secure}
    assert all(cookie.secure for cookie in cookies)


@pytest.mark.parametrize(
    "header", ["X-Forwarded-Proto", "X-Forwarded-Proto, X-Forwarded-For", "x_forwarded_proto"]
)
def test_nobody_makes_the_site_believe_that_he_came_by_plain_http(proxy, header):
    forged = dict.fromkeys(header.split(", "), "http")
    assert proxy.ask("/accounts/login/", **forged).status == 200


def test_wrong_passwords_count_by_the_address_that_the_proxy_saw(proxy, slug):
    for number in range(5):
        forger = proxy.browser(
            **{"X-Forwarded-For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"}
        )
        forger.sign_in(slug, "wrong")
        assert slug not in forger.get("/accounts/login/")
    forger = proxy.browser(**{"X-Forwarded-For": "203.0.113.9"})
    forger.sign_in(slug)
    assert slug not in forger.get("/accounts/login/")
    other = proxy.browser("127.0.0.2")
    other.sign_in(slug)
    assert slug in other.get("/")


def test_a_file_above_a_megabyte_comes_through_whole(proxy, slug, site):
    browser = proxy.browser()
    browser.sign_in(slug)
    lines, answer = upload(browser, slug, 2 * MB)
    # the set-up goes on with the runs
    assert answer.status == 200 and answer.url.endswith(f"/c/{slug}/results/runs/new/")
    with site.orm():
        import_ = Import.objects.get(collection__slug=slug)
        assert (site.media / import_.file.name).read_bytes() == lines.rstrip(b"\r")


SEND = """async ([address, size]) => {
    const form = new FormData()
    form.append("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value)
    form.append("file", new Blob([new Uint8Array(size)]), "items.jsonl")
    const answer = await fetch(address, {method: "POST", body: form})
    return [answer.status, await answer.text()]
}"""


def test_browsers_come_by_http_2_and_the_product_itself_refuses_what_is_too_large(
    proxy, slug, launch_browser
):
    chromium = launch_browser(
        args=["--no-sandbox", f"--host-resolver-rules=MAP {NAME}:443 {proxy.address}"]
    )
    with chromium, chromium.new_context(ignore_https_errors=True) as context:
        page = context.new_page()
        page.goto(f"https://{NAME}/c/{slug}/imports/items/", timeout=PATIENCE * 1000)
        assert (
            page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
        )
        page.fill("[name=login]", slug)
        page.fill("[name=password]", cast.PASSWORD)
        page.press("[name=password]", "Enter")
        page.wait_for_url("**/imports/items/", timeout=PATIENCE * 1000)
        status, text = page.evaluate(SEND, [f"/c/{slug}/imports/items/", (UPLOAD_MAX_MB + 2) * MB])
        assert status == 413 and f"One upload may have {UPLOAD_MAX_MB} MB" in text
        status, text = page.evaluate(SEND, ["/accounts/login/", 2 * MB])
        assert status == 413 and "larger than 1 MB" in text


def test_clients_that_send_too_slowly_are_sent_away_and_hold_nobody_up(proxy, site):
    before = site.log.read_text().count(SLOW)
    slow = [proxy.connect() for _ in range(20)]  # more than there are threads
    for connection in slow:
        connection.putrequest("POST", "/accounts/login/")
        connection.putheader("Content-Length", "1000")
        connection.endheaders()
        connection.send(b"x")
    assert proxy.ask("/healthz").status == 200
    assert wait_until(
        lambda: site.log.read_text().count(SLOW) >= before + len(slow), seconds=PATIENCE
    )
    if proxy.kind == "nginx":  # Caddy answers nobody by HTTP/1.1 who stopped in the midst of a body
        answers = [connection.getresponse() for connection in slow]
        assert [(answer.status, SLOW in answer.read().decode()) for answer in answers] == [
            (408, True)
        ] * len(slow)
    for connection in slow:
        connection.close()


def test_static_files_are_served(proxy):
    page = proxy.ask("/accounts/login/").read().decode()
    style = proxy.ask(re.search(r'href="(/static/[^"]+\.css)"', page)[1])
    assert (style.status, style.headers["Content-Type"]) == (200, 'text/css; charset="utf-8"')
    assert len(style.read()) == int(style.headers["Content-Length"])


def test_downloads_and_media_come_whole_and_in_stretches(proxy, slug, site):
    picture = bytes(range(256)) * 4 * 4096  # 4 MB
    with site.orm():
        collection = cast.collection(f"{slug}-m")
        item = cast.items(collection, "document", 1)[0]
        part = item.parts.get()
        part.kind, part.path, part.text = "image", "a.png", ""
        part.save()
        cast.member(collection, Role.RESEARCHER, site.person(f"{slug}-m"))
        number = part.pk
    folder = Path(site.media, "collections", f"{slug}-m")
    folder.mkdir(parents=True)
    (folder / "a.png").write_bytes(picture)
    browser = proxy.browser()
    browser.sign_in(f"{slug}-m")
    assert json.loads(browser.get("/account/data/"))["account"]
    address = f"{browser.base}/c/{slug}-m/media/{number}/"
    assert browser.opener.open(address, timeout=240).read() == picture
    stretch = browser.opener.open(
        Request(address, headers={"Range": "bytes=1000-70999"}), timeout=240
    )
    assert (stretch.status, stretch.read()) == (206, picture[1000:71000])
