"""The command analyse: the same as the page, as text, CSV, JSON and SVG; refusals in sentences."""

import json
from xml.etree import ElementTree

import pytest

from metrics.services.analysis.register import ANALYSES
from pooling.models import Run
from tests.metrics.management.commands.running import manage, rows
from tests.metrics.services.analysis.collection.small_study import grade, small_study
from tests.metrics.services.analysis.questions import answer_of

pytestmark = pytest.mark.django_db
NAME = "positives-per-query"
OF_STUDY = ("--collection", "study")


@pytest.fixture
def study():
    collection = small_study()
    grade(collection, {(0, 1): 1, (1, 1): 2})
    return collection


def test_without_a_name_it_lists_what_there_is():
    assert [row[0] for row in rows(manage("analyse").stdout)] == list(ANALYSES)


def test_by_default_it_prints_sentences_and_the_table(study):
    lines = manage("analyse", NAME, *OF_STUDY).stdout.splitlines()
    result = answer_of(study, NAME).result
    assert lines[0] == f"# {result.headline}"
    assert lines[2].startswith("# Of 6 queries. Query set “all”, query to document. Labels: people")
    table = [line for line in lines if not line.startswith("#")]
    assert table[0].split("\t") == [column.title for column in result.columns]
    assert len(table) == 1 + len(result.rows)


def test_csv_and_json_have_all_digits_and_svg_the_chart(study):
    result = answer_of(study, NAME).result
    csv = manage("analyse", NAME, *OF_STUDY, "--csv").stdout.split("\r\n")
    assert csv[0] == ",".join(column.key for column in result.columns)
    assert csv[1].split(",")[3] == repr(result.rows[0][3])
    value = json.loads(manage("analyse", NAME, *OF_STUDY, "--json").stdout)
    assert value["rows"] == result.rows and value["spec"] == result.spec
    svg = ElementTree.fromstring(manage("analyse", NAME, *OF_STUDY, "--svg").stdout)
    assert svg.tag.endswith("svg") and "median 1" in "".join(svg.itertext())
    description = svg.find("{http://www.w3.org/2000/svg}desc")
    assert (
        "Of 6 queries. Query set “all”, query to document. Labels: people over" in description.text
    )


def test_choices_are_options(study):
    options = ("--measure", "C@1", "--run", "alpha", "--run", "beta", "--label-source", "only")
    value = json.loads(manage("analyse", "hits-by-length", *OF_STUDY, *options, "--json").stdout)
    assert (value["runs"], value["measures"]) == (["alpha", "beta"], ["C@1"])
    assert (value["label_source"], value["direction"]) == ("only", "forward")
    Run.objects.filter(name="alpha").update(team="Blue")
    options = ("differences", *OF_STUDY, "--mark", "Blue")
    value = json.loads(manage("analyse", *options, "--json").stdout)
    assert value["mark"] == "Blue" and "Marked: team Blue." in value["caption"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((NAME,), "Name a collection by --collection"),
        ((NAME, "--collection", "nothing"), 'There is no collection "nothing".'),
        ((NAME, *OF_STUDY, "--direction", "sideways"), "is no direction with queries"),
        (
            ("hits-by-length", *OF_STUDY, "--run", "nobody"),
            'There is no run "nobody" in use in study.',
        ),
        ((NAME, *OF_STUDY, "--label-source", "over:none"), 'no reference set "none"'),
        (("hits-by-length", *OF_STUDY, "--run", "alpha"), "It takes 2 runs"),
        (("differences", *OF_STUDY, "--mark", "Red"), "none of the runs has a team."),
        (("length-examples", *OF_STUDY, "--svg"), "take --csv or --json"),
        (
            (NAME, *OF_STUDY, "--method", "tukey"),
            f"--method changes nothing in {NAME}: leave it out; what does: --direction, "
            "--label-source, --threshold, --queries, --protocol.",
        ),
        (
            ("labels-by-pool", *OF_STUDY, "--direction", "forward"),
            "--direction changes nothing in labels-by-pool, which is of pairs: leave it out.",
        ),
        ((NAME, *OF_STUDY, "--run", "alpha"), f"--run changes nothing in {NAME}"),
        (
            ("alpha-as-labels-came", *OF_STUDY, "--measure", "AP"),
            "leave it out; it has no choices.",
        ),
        (("conclusions", *OF_STUDY, "--name", "a", "--missing", "runs"), "--missing changes"),
    ],
)
def test_what_cannot_be_computed_is_told_in_a_sentence(study, options, words):
    answer = manage("analyse", *options)
    assert words in answer.stderr and answer.stdout == ""
