"""The story by curl: the blocks of docs/api-tour.md as they stand; people judge on screens."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from annotate.models import ApiToken, Role
from annotate.services.people import tokens
from tests import cast
from tests.servers.stack import Stack
from tests.stories import campaign, releases
from tests.stories.doc_blocks import DocBlock, Shell, blocks
from tests.stories.judging import join_and_judge

SLUG = "leaves"
TOUR = blocks("api-tour.md")
FIRST_AFTER_JUDGING = "While they judge"


@pytest.fixture
def token(live_stack: Stack, django_db_blocker: DjangoDbBlocker) -> str:
    """A token with all scopes of somebody who is a researcher elsewhere."""
    with live_stack.orm(django_db_blocker):
        person = cast.member(cast.collection("before-leaves"), Role.RESEARCHER)
        return tokens.create_token(
            user=person, name="a tour", scopes=list(ApiToken.Scope), days=1
        ).secret


def run_all(shell: Shell, shell_blocks: list[DocBlock]) -> str:
    return "\n".join(shell.run(block.text) for block in shell_blocks)


def test_the_tour_of_the_documents_leads_to_the_release_that_is_expected(
    live_stack: Stack, tmp_path: Path, token: str
) -> None:
    campaign.write_files(tmp_path)
    shell_blocks = [block for block in TOUR if not block.language]
    n_before = [block.heading for block in shell_blocks].index(FIRST_AFTER_JUDGING)
    with Shell(tmp_path, ASSAYER=live_stack.url, TOKEN=token) as shell:
        output = run_all(shell, shell_blocks[:n_before])
        links = re.findall(r"^http\S+/invitations/\S+$", output, re.M)
        n_answers = [
            join_and_judge(base=live_stack.url, link=link, slug=SLUG, annotator=annotator)
            for link, annotator in zip(links, campaign.ANNOTATORS, strict=True)
        ]
        assert min(n_answers) >= len(campaign.pool())
        run_all(shell, shell_blocks[n_before:])
    board = json.loads((tmp_path / "board.json").read_text())
    releases.assert_board_is_expected(board["rows"])
    releases.assert_is_expected(tmp_path / f"{SLUG}-1.0", live_stack)
    assert scores_by_python_block(tmp_path) == pytest.approx(
        {
            (run, measure.partition("(")[0]): value
            for (run, measure), value in campaign.expected_scores().items()
            if measure in ("AP", "nDCG@10")
        },
        abs=1e-12,
    )


def scores_by_python_block(folder: Path) -> dict[tuple[str, str], float]:
    """The output of the tour's block of Python, in the folder where the release is unpacked."""
    (block,) = [block for block in TOUR if block.language == "python"]
    lines = subprocess.run(
        [sys.executable, "-c", block.text], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return {
        (run, measure.partition("(")[0]): float(value)
        for run, measure, value in map(str.split, lines)
    }
