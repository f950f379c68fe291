"""All links from pages reachable from the home page lead to whole pages and existing fragments.

What these pages show, with the parts that they fetch and their charts, is words: no code of the
program.
"""

import json
import re
from html import unescape
from urllib.parse import unquote, urldefrag, urljoin
from uuid import uuid4

import pytest
from django.apps import apps

from annotate.models import Report, ReviewAction
from metrics.models import Download
from tests import campaigns, cast
from tests.pages import VisibleTexts, chart_texts, codes_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
PART = re.compile(r'\b(?:href|hx-get)="(/[^"]*)"')
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


def report_for_every_reason(campaign):
    """Add a report for each reason and a line of the log for each kind of action."""
    report = campaign.collection.reports.first()
    columns = ("collection", "pair", "annotator", "hand_out")
    Report.objects.bulk_create(
        Report(
            **{name: getattr(report, name) for name in columns},
            submission_id=uuid4(),
            kind=Report.Kind.CANNOT_JUDGE,
            reason=reason,
        )
        for reason in Report.Reason
    )
    ReviewAction.objects.bulk_create(
        ReviewAction(collection=campaign.collection, kind=kind, pair=report.pair)
        for kind in ReviewAction.Kind
    )


@pytest.mark.parametrize("role", ["lead", "annotator"])
def test_no_page_shows_a_code_of_the_program(client, role):
    campaign = campaigns.campaign("made", n_annotators=2)
    report_for_every_reason(campaign)
    client.force_login(campaign.lead if role == "lead" else campaign.annotators[0].user)
    codes = {
        page.address: set(page.codes)
        for page in crawl(client, "/", PART).values()
        if page.codes and not page.address.startswith("/api/")  # its pages are for programs
    }
    assert codes == {}


@pytest.mark.parametrize("name", ["report", "reviewaction"])
def test_lists_of_the_administration_show_no_code(client, name):
    report_for_every_reason(campaigns.campaign("made", n_annotators=2))
    client.force_login(cast.user("admin", is_superuser=True, is_staff=True))
    address = f"/admin/annotate/{name}/"
    assert Page(address, "", client.get(address), HREF).codes == []


def test_words_of_charts_are_read_and_fields_without_a_title_too():
    chart = {
        "title": {"text": ["Labels", "by_day"]},
        "data": {"values": [{"title": "not_a_word"}]},
        "layer": [{"encoding": {"y": {"axis": {"title": "n_pairs"}}}}],
        "encoding": {"tooltip": [{"field": "n_labels"}, {"field": "n_golds", "title": "Golds"}]},
    }
    page = f'<script id="a-spec" type="application/json">{json.dumps(chart)}</script>'
    codes = [code for words in chart_texts(page) for code in codes_in(words)]
    assert codes == ["by_day", "n_pairs", "n_labels"]


def test_the_choices_of_every_table_have_words():
    codes = [
        (str(field), label)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        for _, label in getattr(field, "flatchoices", None) or ()
        if codes_in(str(label))
    ]
    assert codes == []


class Page:
    """The answer of an address: its status, ids, links, fragments, and codes that it shows."""

    def __init__(self, address, origin, answer, link_pattern):
        self.address, self.origin, self.status = address, origin, answer.status_code
        is_html = "html" in answer.headers.get("Content-Type", "") and not answer.streaming
        text = answer.content.decode() if is_html else ""
        self.is_whole = not is_html or "<html" in text
        self.ids = set(map(unescape, ID.findall(text)))
        links = [urldefrag(urljoin(address, unescape(href))) for href in link_pattern.findall(text)]
        links = [link for link in links if link.url.startswith("/")]
        self.links = [link.url for link in links]
        texts = VisibleTexts(text).texts + chart_texts(text)
        self.codes = [code for words in texts for code in codes_in(words)]
        self.fragments = [(link.url, unquote(link.fragment)) for link in links if link.fragment]


def crawl(client, start, link_pattern=HREF):
    """Pages by address, following links from a start; at most OF_A_KIND of one kind."""
    pages, waiting, n_of_kind = {}, [(start, "")], {}
    while waiting:
        address, origin = waiting.pop(0)
        kind = re.sub(r"\d+|=[^&]*", "", address)
        if address in pages or n_of_kind.get(kind, 0) >= OF_A_KIND or "logout" in address:
            continue
        n_of_kind[kind] = n_of_kind.get(kind, 0) + 1
        pages[address] = Page(address, origin, client.get(address, follow=True), link_pattern)
        waiting += [(link, address) for link in pages[address].links]
    return pages
