"""Real judgments, loaded by the commands, give the known figures of their files.

Set ASSAYER_DATA to the folder with the data sets (docs/real-data.md); without it all are skipped.
"""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from annotate.checks.check import run
from annotate.models import Collection, Judgment, Pair, ReferenceLabel, Resolution, Seat
from config.management.commands.fsck import CHECKS
from metrics.core.agreement.agreement import alpha
from tests.real_data import FOLDER, needs_real_data

TOOLS = Path(__file__).resolve().parents[2] / "tools"
pytestmark = [pytest.mark.django_db, needs_real_data]
LEVELS = "1:Not at all,2:Minor aspects,3:Almost,4:Describes the image"


def convert(tool: str, folder: str, out: Path) -> None:
    subprocess.run([sys.executable, TOOLS / tool, FOLDER / folder, out], check=True)


def counting_labels(slug: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pair, annotator and grade of the labels that count."""
    seats = Seat.objects.filter(collection__slug=slug, purpose="import", state="done")
    return tuple(
        np.array(list(seats.values_list("pair_id", "annotator_id", "judgment__level__grade"))).T
    )


@pytest.fixture
def flickr8k(tmp_path):
    convert("flickr8k_to_assayer.py", "flickr8k_judgments", tmp_path)
    call_command(
        "load_collection",
        "flickr8k",
        tmp_path / "collection.jsonl",
        levels=LEVELS,
        positive_from=4,
        name="Flickr8k experts",
    )
    call_command("load_reference", "flickr8k", tmp_path / "reference.qrels")
    call_command(
        "import_judgments",
        "flickr8k",
        tmp_path / "experts.csv",
        annotators="expert1,expert2,expert3",
    )
    return tmp_path


def test_the_expert_grades_of_flickr8k_give_the_known_agreement(flickr8k):
    assert ReferenceLabel.objects.count() == 977
    assert (Pair.objects.count(), Judgment.objects.count()) == (5822, 17466)
    unit, annotator, grade = counting_labels("flickr8k")
    assert len(grade) == 17466
    known_alphas = {"nominal": 0.5168, "ordinal": 0.6939, "interval": 0.7885, "ratio": 0.7054}
    for level, value in known_alphas.items():
        assert round(alpha(unit, annotator, grade, level=level).value, 4) == value
    assert round(alpha(unit, annotator, grade >= 3, level="nominal").value, 4) == 0.7097


def test_every_pair_is_resolved_and_loading_all_of_it_again_changes_nothing(flickr8k, capsys):
    assert Resolution.objects.count() == 5822
    assert set(Resolution.objects.values_list("n_labels", flat=True)) == {3}
    own = ReferenceLabel.objects.filter(reference_set__name="original").values_list(
        "query_id", "document_id"
    )
    judged = set(Pair.objects.values_list("query_id", "document_id"))
    assert len(judged & set(own)) == 158
    assert [finding for finding in run(CHECKS) if not finding.check.notice] == []
    capsys.readouterr()
    call_command("load_collection", "flickr8k", flickr8k / "collection.jsonl")
    call_command("load_reference", "flickr8k", flickr8k / "reference.qrels")
    call_command(
        "import_judgments",
        "flickr8k",
        flickr8k / "experts.csv",
        annotators="expert1,expert2,expert3",
    )
    assert capsys.readouterr().out.count("Nothing changed") == 3
    assert Judgment.objects.count() == 17466


def test_the_repeated_votes_of_a_crowd_supersede_their_forerunners(tmp_path):
    convert("vuurens_to_assayer.py", "crowd_vuurens_trec2011", tmp_path)
    call_command(
        "load_collection",
        "crowd",
        tmp_path / "collection.jsonl",
        levels="0:Not relevant,1:Relevant",
    )
    for name in ("votes.tsv", "others.tsv"):
        call_command("import_judgments", "crowd", tmp_path / name)
    assert Judgment.objects.count() == 17395 + 41081
    superseded = Judgment.objects.filter(supersedes__isnull=False)
    assert superseded.count() == 972
    grades_by_chain = defaultdict(set)
    for *chain, grade in Judgment.objects.values_list("annotator_id", "pair_id", "level__grade"):
        grades_by_chain[tuple(chain)].add(grade)
    assert sum(len(grades) > 1 for grades in grades_by_chain.values()) == 180
    unit, annotator, grade = counting_labels("crowd")
    assert len(grade) == 17395 + 41081 - 972
    assert round(alpha(unit, annotator, grade, level="nominal").value, 4) == 0.2569
    assert Collection.objects.get(slug="crowd").scheme_frozen_at is not None
