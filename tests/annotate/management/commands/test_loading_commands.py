"""The commands that read files: reports, and faults with their lines, on stderr, exit code 1."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotate.models import Collection, Item, Judgment, Membership, ReferenceLabel
from annotate.services.supervision import archiving
from tests import cast
from tests.annotate.core.files.samples import line

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[4]
LEVELS = "0:Not relevant,1:Relevant"


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "collection.jsonl"
    path.write_text("\n".join([line("q1", "query"), line("d1"), line("d2"), ""]))
    return path


@pytest.fixture
def loaded(items):
    call_command("load_collection", "birds", items, levels=LEVELS)
    return Collection.objects.get(slug="birds")


def test_a_collection_is_made_and_loaded_for_a_user(items, capsys):
    person = cast.user("ana")
    guidelines = items.with_name("guidelines.md")
    guidelines.write_text("# Look twice")
    call_command(
        "load_collection",
        "birds",
        items,
        levels="1:No,2:Perhaps,4:Yes",
        positive_from=2,
        measurement="interval",
        name="Birds of the north",
        guidelines=guidelines,
        by="ana",
    )
    collection = Collection.objects.get(slug="birds")
    assert (collection.name, collection.measurement, collection.positive_from) == (
        "Birds of the north",
        "interval",
        2,
    )
    assert list(collection.levels.values_list("grade", "name")) == [
        (4, "Yes"),
        (2, "Perhaps"),
        (1, "No"),
    ]
    assert collection.guidelines.get().markdown == "# Look twice"
    assert Membership.objects.filter(user=person, collection=collection).count() == 2
    assert capsys.readouterr().out.startswith("birds: 3 rows: 3 new items with 3 parts")


def test_a_collection_nobody_made_is_an_error_that_says_how(items):
    with pytest.raises(CommandError, match="load_collection with --levels makes one"):
        call_command("load_collection", "birds", items)


@pytest.mark.parametrize(
    "levels", ["Relevant", "1:Yes", "1:Yes,1:No", "a:Yes,b:No", "0:,1:Yes", "0:No,300:Yes"]
)
def test_levels_that_are_no_scheme_are_an_error_and_nothing_is_made(items, levels):
    with pytest.raises(CommandError):
        call_command("load_collection", "birds", items, levels=levels)
    assert not Collection.objects.exists()


def test_a_faulty_file_makes_no_collection(items):
    items.write_text(line("q1", "query") + "\n{\n")
    with pytest.raises(CommandError, match="Line 2: this is no JSON"):
        call_command("load_collection", "birds", items, levels=LEVELS)
    assert not Collection.objects.exists()


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("load_collection", "birds", tmp_path / "none.jsonl", levels=LEVELS)


def test_a_table_is_loaded_by_the_columns_that_are_given(tmp_path):
    table = tmp_path / "clips.csv"
    table.write_text("clip,words=spoken\nc1,a dog\n")
    columns = ["document_id=clip", "document_text=words=spoken"]
    call_command("load_collection", "birds", table, levels=LEVELS, column=columns)
    document = Item.objects.get()
    assert (document.external_id, document.parts.get().text) == ("c1", "a dog")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (["clip"], 'Columns are given as "document_id=clip", not as "clip".'),
        (["document_id="], 'Columns are given as "document_id=clip", not as "document_id=".'),
        (["clip=document_id"], 'There is no field "clip"'),
        (["document_id=a", "document_id=b"], '"a" and "b" are both taken for the document\'s id'),
        (["document_id=none"], 'there is no column "none"; there are "clip", "words"'),
    ],
)
def test_columns_that_make_no_items_are_an_error_and_nothing_is_made(tmp_path, columns, sentence):
    table = tmp_path / "clips.csv"
    table.write_text("clip,words\nc1,a dog\n")
    with pytest.raises(CommandError, match=re.escape(sentence)):
        call_command("load_collection", "birds", table, levels=LEVELS, column=columns)
    assert not Collection.objects.exists()


def test_media_come_from_the_folder_given(items, media_root, tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "a.png").write_bytes(b"PNG")
    items.write_text(line("d1", image="a.png") + "\n")
    call_command("load_collection", "birds", items, levels=LEVELS, media=pictures)
    assert (media_root / "collections" / "birds" / "a.png").read_bytes() == b"PNG"


def test_reference_labels_are_loaded_from_gzip_with_grades_mapped(loaded, tmp_path, capsys):
    path = tmp_path / "a.qrels.gz"
    path.write_bytes(gzip.compress(b"q1 0 d1 3\nq1 0 d2 -1\n"))
    call_command("load_reference", "birds", path, grades="3:1")
    assert ReferenceLabel.objects.get().grade == 1
    assert '"original": 1 label from 2 rows; 1 negative' in capsys.readouterr().out


@pytest.mark.parametrize("grades", ["3", "x:1", "3:one", "3:"])
def test_grades_that_are_none_are_an_error(loaded, tmp_path, grades):
    path = tmp_path / "a.qrels"
    path.write_text("q1 0 d1 3\n")
    with pytest.raises(CommandError):
        call_command("load_reference", "birds", path, grades=grades)


def test_judgments_are_imported_by_their_columns(loaded, tmp_path, capsys):
    path = tmp_path / "votes.csv"
    path.write_text("who,caption,image,said\nw1,q1,d1,yes\nw2,q1,d1,no\nw1,q1,d1,no\n")
    options = {
        "annotator": "who",
        "query": "caption",
        "document": "image",
        "grade": "said",
        "grades": "yes:1,no:0",
    }
    call_command("import_judgments", "birds", path, **options, rule="majority", tie="up")
    assert Judgment.objects.count() == 3
    assert "3 new judgments" in capsys.readouterr().out
    assert loaded.policies.latest("version").tie == "up"


def test_both_commands_leave_out_rows_without_a_grade_when_told_to(loaded, tmp_path, capsys):
    path = tmp_path / "votes.csv"
    path.write_text("annotator,query,document,grade\nw1,q1,d1,1\nw2,q1,d1,\n")
    with pytest.raises(CommandError, match="grade is blank"):
        call_command("import_judgments", "birds", path)
    call_command("import_judgments", "birds", path, skip_blank=True)
    call_command("load_reference", "birds", path, skip_blank=True)
    assert capsys.readouterr().out.count("1 without a grade") == 2


def test_a_fault_leaves_the_policy_as_it_was(loaded, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("annotator,query,document,grade\nw1,q9,d1,1\n")
    with pytest.raises(CommandError, match="Line 2: the collection has no query"):
        call_command("import_judgments", "birds", path, rule="median")
    assert loaded.policies.count() == 1


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_a_fault_goes_to_stderr_with_exit_code_1(items):
    items.write_text("{\n" * 60)
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    environment = {**os.environ, "DATABASE_URL": f"{server}/{connection.settings_dict['NAME']}"}
    command = [
        sys.executable,
        "manage.py",
        "load_collection",
        "birds",
        str(items),
        "--levels",
        LEVELS,
    ]
    process = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert "Line 1: this is no JSON" in process.stderr
    assert "and 10 more." in process.stderr
    assert "Traceback" not in process.stderr
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("load_collection", {}),
        ("load_reference", {}),
        ("load_query_set", {"name": "some"}),
        ("import_judgments", {}),
        ("load_run", {"name": "a"}),
    ],
)
def test_what_is_loaded_into_an_archived_collection_is_refused_in_a_sentence(
    loaded, items, command, options
):
    archiving.archive_collection(collection=loaded, by=cast.user())
    file = items.with_name("other.txt")
    file.write_text("q1\n")
    with pytest.raises(CommandError, match=r"Nothing was loaded\.\n“birds” was archived on"):
        call_command(command, "birds", file, **options)
