"""Nothing of unreleased work is reached from public pages: secrets are marked, all is crawled."""

from urllib.parse import urlsplit

import pytest
from django.db import connection, models, transaction
from django.test import Client

from annotate.models import (
    Collection,
    Item,
    JudgmentComment,
    Part,
    User,
)
from annotate.services.background import works
from metrics.models import Release
from metrics.services.releases import publication, releases
from pooling.models import Run
from tests import cast
from tests.addresses.canaries import Crawler, columns, mark_column
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import (
    folder,
    made_release,
    published_release,
    request_release,
    texts_of,
)
from tests.metrics.services.releases.release_study import busy_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
# what a release stands in itself; and columns that take no text of one's own
OF_RELEASES = {"Release", "ReleaseFile", "ReleaseRun", "ReleaseEvent"}
UNMARKED = {
    "Collection.slug",
    "Collection.licence",
    "Level.key",
    "Item.split",
    "Part.type",
    "Part.also",
    "Part.checksum",
}
# a text has no path, and a picture no text
MARKED_ROWS = {"Part.path": models.Q(kind="image"), "Part.text": models.Q(kind="text")}
CHOICES = ("pairs/?set=2", "pairs/?find=q1", "scores/?table=2", "scores/?measure=AP", "pairs/2/1/")
ICONS = {"/favicon.ico", "/apple-touch-icon.png"}


@pytest.fixture
def study() -> Collection:
    """A study in full swing, whose people, runs and remarks are marked."""
    study = busy_study()
    for user in User.objects.all():
        name = f"zqmark{user.pk}"
        User.objects.filter(pk=user.pk).update(
            username=name, first_name=name, last_name=name, email=f"{name}@mail.example"
        )
    words = ("name", "system", "team", "paper", "description", "file_name")
    for run in study.runs.all():
        Run.objects.filter(pk=run.pk).update(**{word: f"zqmark-{word}-{run.pk}" for word in words})
    first, hidden = study.runs.filter(direction="forward").order_by("pk")[:2]
    Run.objects.filter(pk=first.pk).update(
        may_be_published=True, **{word: f"shown-{word}" for word in words}
    )
    Run.objects.filter(pk=hidden.pk).update(is_hidden=True)
    study.reports.update(note="zqmarknote")
    judgment = study.judgments.earliest("pk")
    JudgmentComment.objects.create(judgment=judgment, text="zqmarkcomment")
    Part.objects.filter(item__collection=study).update(text="zqmarktext")
    return study


def crawl(slug: str) -> Crawler:
    """All that an anonymous visitor reaches from the releases of a collection."""
    crawler = Crawler(Client())
    crawler.follow(f"/releases/{slug}/")
    for choices in CHOICES:
        crawler.get(f"/releases/{slug}/1.0/{choices}")
    return crawler


def add_unreleased_work(study: Collection) -> None:
    """Another collection, and releases of this one that are not public, or not any more."""
    Collection.objects.filter(pk=cast.collection("zqmark-other").pk).update(name="zqmarkother")
    for version, reason in (("0.1-zqmark", ""), ("0.2-zqmark", "zqmarkreason")):
        release = made_release(study, version)
        publication.publish(release=release, by=None)
        publication.unpublish(release=release, by=None)
        if reason:
            releases.withdraw(release=release, reason=reason, by=None)
    works.cancel(work=request_release(study, "0.3-zqmark").making, by=None)


def test_a_crawl_of_all_public_pages_finds_nothing_of_unreleased_work(study):
    add_unreleased_work(study)
    release = published_release(study)
    releases.withdraw(
        release=published_release(study, "0.9"), reason="A text was not ours.", by=None
    )
    crawler = crawl(study.slug)
    assert {reply.status for reply in crawler.replies} == {200, 410}
    urls = [reply.request.removeprefix("GET ") for reply in crawler.replies]
    assert not [url for url in urls if not url.startswith("/releases/") and url not in ICONS]
    assert not [reply.request for reply in crawler.replies if "zqmark" in reply.text]
    content = texts_of(folder(release))
    assert "zqmark" not in content
    # what may be read was read
    whole_text = "\n".join([content, *(reply.text for reply in crawler.replies)])
    for words in (
        "shown-name",
        "A text was not ours.",
        "run-01",
        *(f"files/{path}" for path in folder(release)),
    ):
        assert words in whole_text
    for kind in ("pairs/1/", "scores/", "card/", "archive.zip", "BibTeX"):
        assert kind in whole_text


def test_pages_show_nothing_of_the_tables_that_go_on_changing(study):
    """Every text of the database is another one after the release, but for its own rows.

    To see it fail: show the name of the collection, or of a run, as its row has it.
    """
    Part.objects.filter(item__collection=study).update(text="text of then")
    item = study.items.filter(side="document").earliest("pk")
    Part.objects.create(item=item, position=7, kind="image", path="then.png")
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=True, media_may_leave=True)
    published_release(study)
    before = {reply.request: reply.text for reply in crawl(study.slug).replies}
    marks: dict[str, str] = {}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for name in columns():
            if name.partition(".")[0] not in OF_RELEASES and name not in UNMARKED:
                mark_column(name, marks, rows=MARKED_ROWS.get(name, models.Q()))
    assert {"Collection.name", "Run.name", "Part.text", "Part.path", "Item.external_id"} <= set(
        marks.values()
    )
    crawler = crawl(study.slug)
    assert crawler.hits(marks) == set()
    assert "text of then" in str(before) and "then.png" in str(before)
    assert {reply.request: reply.text for reply in crawler.replies} == before


def test_labels_given_after_the_release_are_not_in_it(study):
    published_release(study)
    before = {reply.request: reply.text for reply in crawl(study.slug).replies}
    studies.judge(cast.annotator(study), seed=9, n=10)
    query, document = (cast.items(study, side, 1)[0] for side in ("query", "document"))
    Item.objects.filter(pk=query.pk).update(external_id="zqmarkquery")
    Item.objects.filter(pk=document.pk).update(external_id="zqmarkdocument")
    studies.reference(study, {("zqmarkquery", "zqmarkdocument"): 1}, name="zqmarkreference")
    made_release(study, "2.0-zqmark")
    crawler = crawl(study.slug)
    assert not [reply.request for reply in crawler.replies if "zqmark" in reply.text]
    assert {reply.request: reply.text for reply in crawler.replies} == before


def test_guessed_addresses_tell_nothing(study):
    add_unreleased_work(study)
    published_release(study)
    browser, answers = Client(), set()
    for version in [*Release.objects.values_list("version", flat=True), "9.9"]:
        for path in ("", "card/", "scores/", "pairs/", "files/README.md", "archive.zip"):
            url = f"/releases/{study.slug}/{version}/{path}"
            answer = browser.get(url)
            if version != "1.0":
                assert answer.status_code == 404, url
                answers.add(answer.content.replace(urlsplit(url).path.encode(), b""))
            answer.close()
    assert b"zqmark" not in b"".join(answers)
    for slug in ("zqmark-other", "nothing"):
        assert browser.get(f"/releases/{slug}/").status_code == 404
