"""All links from pages reachable from the home page lead to whole pages and existing fragments."""

import re
from html import unescape
from urllib.parse import unquote, urldefrag, urljoin

import pytest

from metrics.models import Download
from tests import campaigns

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
HREF, ID = re.compile(r'<a\b[^>]*\bhref="([^"]*)"'), re.compile(r'\bid="([^"]+)"')
OF_A_KIND = 3  # visited pages whose addresses differ only by numbers and query values


@pytest.mark.parametrize("role", ["lead", "researcher", "annotator"])
def test_links_lead_somewhere(client, role):
    campaign = campaigns.campaign("made", n_annotators=2)
    Download.objects.exclude(file="").delete()  # these have no file on the disk
    people = {
        "lead": campaign.lead,
        "researcher": campaign.researcher,
        "annotator": campaign.annotators[0].user,
    }
    client.force_login(people[role])
    pages = crawl(client, "/")
    assert len(pages) >= {"lead": 30, "researcher": 30, "annotator": 5}[role]
    wrong = [
        f"{page.address}: {page.status} (from {page.origin})"
        for page in pages.values()
        if page.status >= 400
    ]
    wrong += [
        f"{page.address}: no whole page (from {page.origin})"
        for page in pages.values()
        if not page.is_whole
    ]
    wrong += [
        f"{address}: no place {fragment} (from {page.address})"
        for page in pages.values()
        for address, fragment in page.fragments
        if address in pages and fragment not in pages[address].ids
    ]
    assert wrong == []


class Page:
    """The answer of an address: its status, ids, links and fragments."""

    def __init__(self, address, origin, answer):
        self.address, self.origin, self.status = address, origin, answer.status_code
        is_html = "html" in answer.headers.get("Content-Type", "") and not answer.streaming
        text = answer.content.decode() if is_html else ""
        self.is_whole = not is_html or "<html" in text
        self.ids = set(map(unescape, ID.findall(text)))
        links = [urldefrag(urljoin(address, unescape(href))) for href in HREF.findall(text)]
        links = [link for link in links if link.url.startswith("/")]
        self.links = [link.url for link in links]
        self.fragments = [(link.url, unquote(link.fragment)) for link in links if link.fragment]


def crawl(client, start):
    """Pages by address, following links from a start; at most OF_A_KIND of one kind."""
    pages, waiting, n_of_kind = {}, [(start, "")], {}
    while waiting:
        address, origin = waiting.pop(0)
        kind = re.sub(r"\d+|=[^&]*", "", address)
        if address in pages or n_of_kind.get(kind, 0) >= OF_A_KIND or "logout" in address:
            continue
        n_of_kind[kind] = n_of_kind.get(kind, 0) + 1
        pages[address] = Page(address, origin, client.get(address, follow=True))
        waiting += [(link, address) for link in pages[address].links]
    return pages
