"""`assayer upload-items`: a data set goes into a collection of a running site, whole and true."""

import hashlib
import sys
import zipfile

import pytest

from annotate.models import ApiToken, Collection, Import, Item, QuerySet, ReferenceLabel, Role
from assayer.console import main
from tests import cast
from tests.annotate.core.files.samples import file
from tests.assayer.commands.site.workers import worker
from tests.assayer.datasets.folders import CORPUS, LABELS, write_beir
from tests.house.test_layers import ROOT
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import folder, made_release

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("media_root"),
]
SCOPES = (
    ApiToken.Scope.FILES_WRITE,
    ApiToken.Scope.NUMBERS_READ,
    ApiToken.Scope.COLLECTIONS_WRITE,
)


@pytest.fixture
def upload(live_server, monkeypatch, capsys):
    """The command as a researcher's, with a worker; returns its status and what it printed."""
    home = cast.collection("home", grades=3)
    header = cast.bearer(cast.member(home, Role.RESEARCHER), *SCOPES)["Authorization"]
    monkeypatch.setenv("ASSAYER_URL", live_server.url)
    monkeypatch.setenv("ASSAYER_TOKEN", header.removeprefix("Bearer "))

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with worker():
            status = main(["upload-items", *map(str, arguments)])
        return status, *capsys.readouterr()

    return run


def items_of(slug):
    """Side, id, split and texts of the items of a collection."""
    items = Item.objects.filter(collection__slug=slug).prefetch_related("parts")
    return {
        (item.side, item.external_id, item.split, *(part.text for part in item.parts.all()))
        for item in items
    }


def labels_of(slug, name="original"):
    """The labels of a reference set."""
    rows = ReferenceLabel.objects.filter(reference_set__collection__slug=slug)
    fields = ("query__external_id", "document__external_id", "grade")
    return set(rows.filter(reference_set__name=name).values_list(*fields))


def test_a_beir_folder_goes_into_a_collection_once(upload, tmp_path):
    dataset = write_beir(tmp_path / "shapes")
    arguments = ("--beir", dataset, "--collection", "home")
    assert upload(*arguments) == (
        0,
        "",
        "3 queries sent\n"
        "3 documents sent\n"
        "reference set original: 2 labels sent\n"
        "reference set train: 2 labels sent\n",
    )
    assert items_of("home") == {
        ("query", "q1", "test", "stars"),
        ("query", "q2", "train", "a triangle"),
        ("query", "q3", "unused", "nothing"),
        ("document", "d1", "test", "Stars", "Two red stars"),
        ("document", "d2", "test", "Ein grünes Dreieck"),
        ("document", "d,3", "test"),
    }
    assert labels_of("home") == {("q1", "d1", 2), ("q1", "d,3", 0)}
    assert labels_of("home", "train") == {("q2", "d2", 1), ("q1", "d2", 1)}
    n_imports = Import.objects.count()
    assert upload(*arguments)[0] == 0
    assert (Import.objects.count(), n_imports) == (4, 4)


def test_one_split_goes_into_a_new_collection_with_its_query_set(upload, tmp_path):
    dataset = write_beir(tmp_path / "shapes", labels={**LABELS, "dev": ["q3\td2\t3", "q3\td1\t1"]})
    arguments = ("--beir", dataset, "--split", "dev", "--collection", "new", "--make", "New")
    status, _, remarks = upload(*arguments)
    assert (status, remarks.splitlines()[0]) == (0, "new is made, with 3 levels")
    collection = Collection.objects.get(slug="new")
    levels = collection.levels.order_by("grade").values_list("grade", "name")
    assert list(levels) == [(0, "Not relevant"), (1, "Grade 1"), (3, "Grade 3")]
    assert (collection.name, collection.positive_from) == ("New", 1)
    assert {row[:3] for row in items_of("new") if row[0] == "query"} == {("query", "q3", "test")}
    assert labels_of("new", "dev") == {("q3", "d2", 3), ("q3", "d1", 1)}
    members = QuerySet.objects.get(collection=collection, name="dev").members
    assert list(members.values_list("item__external_id", flat=True)) == ["q3"]


def test_grades_without_a_level_are_refused_before_anything_is_sent(upload, tmp_path):
    dataset = write_beir(tmp_path, labels={"test": ["q1\td1\t4", "q1\td2\t5", "q2\td2\t1"]})
    arguments = ("--beir", dataset, "--collection", "home")
    status, _, sentence = upload(*arguments)
    assert (status, sentence) == (
        1,
        "assayer upload-items: nothing was sent: there are labels of grade 4 and 5, and home has "
        "the levels 0, 1 and 2 alone. Map them, as by --grades 4:2, or make another collection by "
        "--make NAME.\n",
    )
    assert not Import.objects.exists()
    assert upload(*arguments, "--grades", "4")[2].endswith("not as 4\n")
    assert upload(*arguments, "--grades", "4:1,5:2")[0] == 0
    assert labels_of("home") == {("q1", "d1", 1), ("q1", "d2", 2), ("q2", "d2", 1)}
    assert upload(*arguments, "--grades", "4:2,5:2", "--labels", "lenient")[0] == 0
    assert labels_of("home", "lenient") == {("q1", "d1", 2), ("q1", "d2", 2), ("q2", "d2", 1)}


def test_faults_are_told_with_their_places_and_nothing_is_sent(upload, tmp_path):
    rows = [*CORPUS, {"_id": "d 4", "text": "a"}]
    dataset = write_beir(tmp_path, corpus=rows, labels={"test": ["q1\td9\t1", "q1\td1\t1"]})
    arguments = ("--beir", dataset, "--collection", "home")
    status, _, sentences = upload(*arguments)
    assert (status, sentences.splitlines()[1:]) == (
        1,
        [
            'corpus.jsonl: Line 4: id "d 4" contains white space; write ids without it.',
            'test.tsv: Line 2: there is no document "d9"; --skip-unknown leaves such out.',
        ],
    )
    write_beir(tmp_path, labels={"test": ["q1\td9\t1", "q1\td1\t1"]})
    assert upload(*arguments)[0] == 1
    assert not Import.objects.exists()
    assert upload(*arguments, "--skip-unknown")[0] == 0
    assert labels_of("home") == {("q1", "d1", 1)}


def test_a_dry_run_needs_no_site_and_writes_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ASSAYER_URL", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    dataset = write_beir(tmp_path / "shapes")
    paths = sorted(tmp_path.rglob("*"))
    assert main(["upload-items", "--beir", str(dataset), "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith("3 queries\n3 documents")
    assert sorted(tmp_path.rglob("*")) == paths
    assert main(["upload-items", "--beir", str(dataset)]) == 1
    assert "--collection SLUG" in capsys.readouterr().err
    assert main(["upload-items", "--beir", str(tmp_path), "--dry-run"]) == 1
    assert "has no file queries.jsonl" in capsys.readouterr().err


def test_media_of_a_release_go_along_in_a_zip_or_stay_out(upload, tmp_path):
    medium = ROOT / "demo/shapes/media/s001.webp"
    path = f"media/{medium.name}"
    metadata = {"media": [{"kind": "image", "path": path}]}
    row = {"_id": "d4", "title": "", "text": "", "metadata": metadata}
    dataset = write_beir(tmp_path / "shapes", corpus=[*CORPUS, row])
    archive = tmp_path / "media.zip"
    with zipfile.ZipFile(archive, "w") as members:
        members.write(medium, path)
    arguments = ("--beir", dataset, "--collection")
    assert "1 item with files of media" in upload(*arguments, "home", "--dry-run")[1]
    assert upload(*arguments, "home", "--media", archive)[0] == 0
    (part,) = Item.objects.get(external_id="d4").parts.all()
    assert (part.kind, part.path) == ("image", path)
    assert upload(*arguments, "bare", "--make", "Bare", "--without-media")[0] == 0
    assert not Item.objects.get(collection__slug="bare", external_id="d4").parts.exists()


def test_what_the_options_contradict_is_told(upload, tmp_path):
    dataset = write_beir(tmp_path / "shapes")
    for arguments, sentence in (
        (("--items", tmp_path, "--collection", "home"), "pack a folder in a zip"),
        (("--items", dataset / "corpus.jsonl", "--dry-run"), "the site alone reads --items"),
        *(
            (("--items", dataset / "corpus.jsonl", "--collection", "home", *option), option[0])
            for option in (
                ("--labels", "a"),
                ("--grades", "1:2"),
                ("--split", "dev"),
                ("--positive-from", "1"),
                ("--definitions", dataset / "x.py"),
                ("--skip-unknown",),
                ("--without-media",),
            )
        ),
        (("--beir", dataset, "--collection", "new"), "make it by --make NAME, or choose one"),
        (
            ("--items", dataset / "corpus.jsonl", "--collection", "new"),
            "`assayer collections` shows your collections",
        ),
        (("--beir", dataset, "--split", "dev", "--dry-run"), "has no split dev"),
        (("--ir-datasets", "assayer/none", "--dry-run"), "knows no assayer/none"),
        (("--hugging-face", tmp_path, "--dry-run"), "has no queries"),
    ):
        status, _, remarks = upload(*arguments)
        assert status == 1
        assert sentence in remarks
    assert not Item.objects.exists()


def test_a_file_of_items_goes_as_it_stands(upload, tmp_path):
    path = tmp_path / "items.csv"
    path.write_bytes(file("side,id,text", "query,q1,stars", "document,d1,a star").read())
    assert upload("--items", path, "--collection", "home")[0] == 0
    assert items_of("home") == {
        ("query", "q1", "test", "stars"),
        ("document", "d1", "test", "a star"),
    }
    assert Import.objects.get().sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def unpacked_release(path, version, *, with_texts):
    """The study, with a release of it unpacked in a folder."""
    study = Collection.objects.filter(slug="study").first() or studies.unordered_study()
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=with_texts)
    study.refresh_from_db()
    for name, content in folder(made_release(study, version)).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return study


def definitions(path):
    """The option that names the definitions of a release; they are loaded anew."""
    sys.modules.pop("ir_datasets_release", None)
    return "--definitions", path / "ir_datasets_release.py"


def levels_of(collection):
    """The levels with their words."""
    return set(collection.levels.values_list("grade", "name", "sentence"))


def test_a_release_goes_into_other_collections_with_the_same_items_and_labels(upload, tmp_path):
    path = tmp_path / "study-1.0"
    study = unpacked_release(path, "1.0", with_texts=True)
    rows = (path / "beir/qrels/test.tsv").read_text().splitlines()[1:]
    labels = {(*ids, int(grade)) for *ids, grade in (line.split("\t") for line in rows)}
    assert len(labels) > 10
    ways = {
        "by-beir": ("--beir", path / "beir"),
        "by-hub": ("--hugging-face", path),
        "by-id": ("--ir-datasets", "assayer/study/1.0/all-forward", *definitions(path)),
    }
    for slug, source in ways.items():
        status, _, remarks = upload(*source, "--collection", slug, "--make", "Copy")
        assert (status, remarks.count("sent")) == (0, 3), slug
        assert items_of(slug) == items_of("study"), slug
        assert labels_of(slug) == labels, slug
        copy = Collection.objects.get(slug=slug)
        assert levels_of(copy) == levels_of(study), slug
        # what ir_datasets has of grades does not say it
        assert copy.positive_from == (1 if slug == "by-id" else study.positive_from)


def test_of_a_release_without_texts_items_are_known_by_their_ids(upload, tmp_path):
    path = tmp_path / "study-1.1"
    unpacked_release(path, "1.1", with_texts=False)
    ways = {
        "by-beir": ("--beir", path),
        "by-id": ("--ir-datasets", "assayer/study/1.1/all-forward", *definitions(path)),
    }
    study_ids = {row[:3] for row in items_of("study")}
    for slug, source in ways.items():
        assert upload(*source, "--collection", slug, "--make", "Copy")[0] == 0
        assert items_of(slug) == study_ids if slug == "by-beir" else items_of(slug) < study_ids
    assert labels_of("by-beir") == labels_of("by-id") != set()
