"""Public pages of releases: what they show, to whom, and that caches may keep them."""

import hashlib
import io

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from pyarrow import parquet

from annotate.models import Collection, Part, Role
from metrics.services.releases import publication, releases
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import (
    archive,
    folder,
    made_release,
    published_release,
)
from tests.metrics.services.releases.release_study import busy_study
from tests.pages import text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
PAGE = "/releases/study/1.0/"
PAGES = ("", "card/", "scores/", "pairs/", "pairs/1/1/", "files/")


@pytest.fixture
def study() -> Collection:
    return studies.unordered_study()


def body(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.parametrize("path", [*PAGES, "archive.zip", "files/README.md"])
def test_what_is_not_public_is_not_there(client, study, path):
    client.force_login(cast.member(study, Role.LEAD))
    assert client.get(f"{PAGE}{path}").status_code == 404
    release = made_release(study)
    assert client.get(f"{PAGE}{path}").status_code == 404
    assert client.get("/releases/study/").status_code == 404
    publication.publish(release=release, by=None)
    assert client.get(f"{PAGE}{path}").status_code == 200
    publication.unpublish(release=release, by=None)
    assert client.get(f"{PAGE}{path}").status_code == 404
    releases.withdraw(release=release, reason="Inner words.", by=None)
    assert client.get(f"{PAGE}{path}").status_code == 404


@pytest.mark.parametrize("path", [*PAGES, "archive.zip", "files/README.md"])
def test_in_place_of_a_withdrawn_release_stands_a_stone(client, study, path):
    release = published_release(study)
    published_release(study, "1.1")
    releases.withdraw(release=release, reason="A text was <not> ours.", by=None)
    answer = client.get(f"{PAGE}{path}")
    page = text_of(answer)
    assert answer.status_code == 410
    assert "A text was &lt;not&gt; ours." in page and release.sha256 in page
    assert "withdrawn on" in page and release.file_name in page
    assert "README.md" not in page
    assert 'href="/releases/study/"' in page
    shelf = text_of(client.get("/releases/study/"))
    assert "withdrawn" in shelf and ">1.1</a>" in shelf
    assert "withdrawn" in text_of(client.get("/releases/study/1.1/"))


def test_a_shelf_with_stones_alone_is_not_there(client, study):
    releases.withdraw(release=published_release(study), reason="Because.", by=None)
    assert client.get("/releases/study/").status_code == 404
    assert 'href="/releases/study/"' not in client.get(PAGE).content.decode()


def test_everybody_gets_the_same_bytes_without_cookies(study):
    published_release(study)
    people = [None, cast.user("stranger"), *(cast.member(study, role) for role in Role)]
    for path in PAGES:
        answers = []
        for person in people:
            browser = Client()
            if person:
                browser.force_login(person)
            answers.append(browser.get(f"{PAGE}{path}"))
        assert len({answer.content for answer in answers}) == 1
        for answer in answers:
            assert not answer.cookies and "Vary" not in answer.headers
            assert answer.headers["Cache-Control"] == "public, max-age=300"
            assert "csrf" not in answer.content.decode().lower()


@pytest.mark.parametrize("cookie", ["nonsense", "a" * 32])
def test_a_cookie_that_is_no_session_is_not_answered(client, study, cookie):
    published_release(study)
    client.cookies["sessionid"] = cookie
    answer = client.get(PAGE)
    assert answer.status_code == 200
    assert not answer.cookies and "Vary" not in answer.headers


def test_leads_need_no_second_factor_to_read_what_everybody_reads(client, study, settings):
    published_release(study)
    settings.LEADS_NEED_MFA = True
    client.force_login(cast.member(study, Role.LEAD))
    answer = client.get(PAGE)
    assert answer.status_code == 200 and "Vary" not in answer.headers


@pytest.mark.parametrize("path", [*PAGES, "archive.zip", "files/README.md"])
def test_who_has_the_page_already_is_told_so_by_one_query(
    client, study, path, django_assert_max_num_queries
):
    published_release(study)
    first = client.get(f"{PAGE}{path}")
    body(first)
    for headers in (
        {"If-None-Match": first.headers["ETag"]},
        {"If-Modified-Since": first.headers["Last-Modified"]},
    ):
        with django_assert_max_num_queries(2 if path == "files/README.md" else 1):
            answer = client.get(f"{PAGE}{path}", headers=headers)
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"] == first.headers["ETag"]
        assert answer.headers["Cache-Control"] == first.headers["Cache-Control"]
    assert client.get(f"{PAGE}{path}", headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("path", [*PAGES, "archive.zip", "files/README.md"])
def test_who_asks_for_the_head_gets_the_same_headers(client, study, path):
    published_release(study)
    whole, head = client.get(f"{PAGE}{path}"), client.head(f"{PAGE}{path}")
    body(whole)
    assert head.headers == whole.headers and head.status_code == 200
    assert body(head) == b""


def test_a_page_changes_its_tag_with_what_it_shows(client, study):
    release = published_release(study)
    tags = [client.get(PAGE).headers["ETag"]]
    later = published_release(study, "1.1")
    tags.append(client.get(PAGE).headers["ETag"])
    publication.unpublish(release=later, by=None)
    publication.unpublish(release=release, by=None)
    publication.publish(release=release, by=None)
    tags.append(client.get(PAGE).headers["ETag"])
    assert len(set(tags)) == 3


def test_a_newer_version_is_told(client, study):
    published_release(study)
    assert "There is a newer version" not in text_of(client.get(PAGE))
    published_release(study, "1.1")
    for path in PAGES[:-2]:
        assert "There is a newer version" in text_of(client.get(f"{PAGE}{path}")), path
    assert "There is a newer version" not in text_of(client.get("/releases/study/1.1/"))


@pytest.mark.parametrize("path", [*PAGES, "pairs/?page=2"])
def test_queries_do_not_grow_with_what_is_shown(
    client, settings, path, django_assert_max_num_queries
):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    for n in (4, 70):
        collection = studies.study(f"of{n}", n_queries=n, n_documents=n)
        published_release(collection)
        published_release(collection, "1.1")
        with django_assert_max_num_queries(3):
            assert client.get(f"/releases/of{n}/1.0/{path}").status_code == 200


def test_files_are_kept_by_caches_and_have_the_bytes_of_the_archive(client, study):
    release = published_release(study)
    for path, content in folder(release).items():
        answer = client.get(f"{PAGE}files/{path}")
        assert body(answer) == content
        assert answer.headers["ETag"] == f'"{hashlib.sha256(content).hexdigest()}"'
        assert answer.headers["Cache-Control"] == "public, max-age=86400, immutable"
        assert answer.headers["Content-Length"] == str(len(content))
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert not answer.cookies and "Vary" not in answer.headers
    answer = client.get(f"{PAGE}archive.zip")
    assert body(answer) == archive(release)
    assert answer.headers["ETag"] == f'"{release.sha256}"'
    assert answer.headers["Content-Disposition"] == 'attachment; filename="study-1.0.zip"'


@pytest.mark.parametrize(
    ("header", "status", "stretch"),
    [
        ("bytes=0-9", 206, slice(0, 10)),
        ("bytes=5-", 206, slice(5, None)),
        ("bytes=-4", 206, slice(-4, None)),
        ("bytes=0-1,4-5", 200, slice(None)),
        ("bytes=999999999-", 416, slice(0, 0)),
    ],
)
def test_a_stretch_of_a_file_is_fetched_by_itself(client, study, header, status, stretch):
    content = folder(published_release(study))["README.md"]
    answer = client.get(f"{PAGE}files/README.md", headers={"Range": header})
    assert (answer.status_code, body(answer)) == (status, content[stretch])
    if status == 206:
        first, last, _ = stretch.indices(len(content))
        assert answer.headers["Content-Range"] == f"bytes {first}-{last - 1}/{len(content)}"


def test_a_stretch_of_another_version_is_not_sent(client, study):
    content = folder(published_release(study))["README.md"]
    headers = {"Range": "bytes=0-9", "If-Range": '"other"'}
    assert body(client.get(f"{PAGE}files/README.md", headers=headers)) == content


@pytest.mark.parametrize(
    "path",
    [
        "pairs/?set=9",
        "pairs/?page=x",
        "pairs/1/0/",
        "pairs/1/999/",
        "pairs/9/1/",
        "scores/?table=99",
        "scores/?measure=nothing",
        "files/nothing",
        "files/../README.md",
        "nothing/",
    ],
)
def test_what_a_release_does_not_have_is_not_there(client, study, path):
    published_release(study)
    assert client.get(f"{PAGE}{path}").status_code == 404


def test_files_whose_archive_is_gone_are_not_there(client, study):
    default_storage.delete(published_release(study).file.name)
    for path in ("archive.zip", "files/README.md", "card/"):
        assert client.get(f"{PAGE}{path}").status_code == 404


def test_the_first_page_says_what_it_is_and_how_to_cite_it(client, settings):
    settings.SITE_URL = "https://judge.example.org"
    study = busy_study()
    Collection.objects.filter(pk=study.pk).update(
        creators=[{"name": "Byron, Ada", "affiliation": "X", "orcid": "0000-0002-1825-0097"}],
        description="Pictures of <cats>.",
    )
    published_release(study)
    address = f"https://judge.example.org/releases/{study.slug}/1.0/"
    page = text_of(client.get(f"/releases/{study.slug}/1.0/"))
    assert f"Byron, Ada (2026). Study, version 1.0 [Data set]. {address}" in page
    assert f"url = {{{address}}}" in page
    assert "https://spdx.org/licenses/CC-BY-4.0.html" in page
    assert "Pictures of &lt;cats&gt;." in page and "The first one." in page
    assert "Krippendorff" in page and "What the labels do not tell" in page
    for chart in ("levels", "agreement", "ranks", "scores"):
        assert f'id="{chart}"' in page


def test_a_release_of_nothing_says_so_in_sentences(client):
    published_release(cast.collection("empty"))
    page = text_of(client.get("/releases/empty/1.0/"))
    for words in (
        "This release has no labels.",
        "Agreement is not defined",
        "This release has no pool.",
        "This release has no scores",
    ):
        assert words in page
    assert "This release has no query set." in text_of(client.get("/releases/empty/1.0/pairs/"))
    assert "No scores" in text_of(client.get("/releases/empty/1.0/scores/"))


def test_scores_are_those_of_the_release(client, study):
    run = study.runs.filter(direction="forward").earliest("pk")
    Run.objects.filter(pk=run.pk).update(may_be_published=True)
    release = published_release(study)
    Run.objects.filter(pk=run.pk).update(name="called otherwise")
    entries = [row for row in release.manifest["scores"] if row["measure"] == "AP"]
    page = text_of(client.get(f"{PAGE}scores/?table=1&measure=AP"))
    setting = ("direction", "query_set", "label_source")
    for entry in entries:
        if all(entry[name] == entries[0][name] for name in setting):
            assert f">{entry['run']}<" in page
            assert f'data-value="{100 * entry["mean"]:.6f}"' in page
    assert run.name in page and "called otherwise" not in page


def test_the_explorer_has_the_grades_of_the_qrels(client):
    study = busy_study()
    release = published_release(study)
    levels = {row["grade"]: row["name"] for row in release.manifest["levels"]}
    rows = qrels(release)
    (name, n) = max(
        ((row["query"], sum(other["query"] == row["query"] for other in rows)) for row in rows),
        key=lambda pair: pair[1],
    )
    listed = text_of(client.get(f"/releases/{study.slug}/1.0/pairs/?find={name}"))
    href = listed.split('class="public-id" href="')[1].split('"')[0]
    page = text_of(client.get(href))
    assert page.count("level-chip") == n
    for row in rows:
        if row["query"] == name:
            assert f">{row['document']}<" in page and levels[row["grade"]] in page


def qrels(release) -> list[dict]:
    """The grades of the forward query set."""
    table = parquet.read_table(io.BytesIO(folder(release)["qrels/qrels.parquet"]))
    return [row for row in table.to_pylist() if row["direction"] == "forward"]


@pytest.mark.parametrize("texts_leave", [False, True])
@pytest.mark.parametrize("media_leave", [False, True])
def test_texts_and_media_are_shown_by_the_switches_of_the_release(
    client, study, texts_leave, media_leave
):
    item = study.items.filter(side="query").order_by("external_id").first()
    Part.objects.filter(item=item).update(text="zqtext")
    Part.objects.create(item=item, position=7, kind="image", path="zqmedium.png")
    Part.objects.create(
        item=item, position=8, kind="image", path="https://media.example.org/zq.png"
    )
    Collection.objects.filter(pk=study.pk).update(
        texts_may_leave=texts_leave, media_may_leave=media_leave
    )
    published_release(study)
    Part.objects.filter(item=item, kind="text").update(text="zqlater")
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=True, media_may_leave=True)
    for path in ("pairs/", "pairs/1/1/"):
        page = text_of(client.get(f"{PAGE}{path}"))
        assert ("zqtext" in page) == texts_leave
        assert ("zqmedium.png" in page) == media_leave
        assert ('href="https://media.example.org/zq.png"' in page) == media_leave
        assert "zqlater" not in page and "<img" not in page
