"""No mark of unreleased work stands where nobody looks: names, tags, headers, metadata, EXIF."""

import gzip
import io
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image
from pyarrow import parquet

from annotate.models import Annotator, Collection, JudgmentComment, Part, User
from pooling.models import Run
from tests.addresses.canaries import Crawler
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import archive, folder, published_release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
MARK = b"zqmark"
CAMERA, AUTHOR = 0x0110, 0x013B  # tags of EXIF


@pytest.fixture
def study() -> Collection:
    """A study whose people, hidden run, comments and picture are marked."""
    study = studies.unordered_study()
    for user in User.objects.all():
        User.objects.filter(pk=user.pk).update(
            username=f"zqmark{user.pk}", email=f"zqmark{user.pk}@mail.example"
        )
    run = study.runs.earliest("pk")
    Run.objects.filter(pk=run.pk).update(
        is_hidden=True, may_be_published=True, name="zqmark-run", file_name="zqmark.run"
    )
    JudgmentComment.objects.create(judgment=study.judgments.earliest("pk"), text="zqmark")
    exif = Image.Exif()
    exif[CAMERA], exif[AUTHOR] = "zqmark camera", "zqmark author"
    picture = io.BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "JPEG", exif=exif)
    assert MARK in picture.getvalue()
    path = f"collections/{study.slug}/shown.jpg"
    default_storage.save(path, io.BytesIO(picture.getvalue()))
    item = study.items.filter(side="document").earliest("pk")
    Part.objects.create(item=item, position=7, kind="image", path="shown.jpg")
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=True, media_may_leave=True)
    return study


def unpacked_bytes(files: dict[str, bytes]) -> dict[str, bytes]:
    """Each file as it lies there, with the text of packed ones after it."""
    return {
        path: content + (gzip.decompress(content) if path.endswith(".gz") else b"")
        for path, content in files.items()
    }


def test_archives_have_no_mark_in_names_comments_or_metadata(study):
    release = published_release(study)
    content, files = archive(release), unpacked_bytes(folder(release))
    assert MARK not in content
    assert [path for path, text in files.items() if MARK in text] == []
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        assert members.comment == b""
        assert {(entry.comment, entry.extra) for entry in members.infolist()} == {(b"", b"")}
    tables = [text for path, text in files.items() if path.endswith(".parquet")]
    assert len(tables) > 3
    for table in tables:
        file = parquet.ParquetFile(io.BytesIO(table))
        text = f"{file.metadata} {file.metadata.metadata} {file.schema_arrow.metadata}"
        assert "created_by" in text and MARK.decode() not in text
    pseudonym = Annotator.objects.filter(collection=study, judgments__isnull=False).first()
    assert pseudonym.pseudonym.encode() in b"".join(files.values())  # what may be read is
    assert b"shown.jpg" in b"".join(files.values())


def test_public_answers_have_no_mark_in_their_headers(study):
    """Nor has a picture's EXIF a way out: no page sends the picture."""
    published_release(study)
    crawler = Crawler(Client())
    crawler.follow(f"/releases/{study.slug}/")
    heads = {reply.request: reply.text.partition("\n\n")[0] for reply in crawler.replies}
    assert len(heads) > 40 and all("ETag: " in head for head in heads.values() if head)
    assert not [reply.request for reply in crawler.replies if MARK.decode() in reply.text]
    assert any("shown.jpg" in reply.text for reply in crawler.replies)
