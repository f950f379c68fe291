"""Files made to take all time or memory: each is refused within 2 s, all within 256 MiB.

The seconds are of processor time.
"""

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from config.testing import once_a_run
from tests.pooling.core.files.bombs import BOMBS

pytestmark = pytest.mark.full
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def answers_by_bomb() -> dict[str, dict[str, Any]]:
    """The report of each bomb's reader; made by the first of the run's processes."""
    with once_a_run("bombs") as folder:
        answers = folder / "answers"
        if not answers.exists():
            folder.mkdir(exist_ok=True)
            subprocess.run(
                [sys.executable, "-m", "tests.pooling.core.files.bombs", folder],
                cwd=ROOT,
                check=True,
            )
            arguments = [
                (kind, f"{folder}/{number}.bin")
                for number, (kind, _, _) in enumerate(BOMBS.values())
            ]
            command = [
                sys.executable,
                "-m",
                "tests.pooling.core.files.read_hostile",
                *chain(*arguments),
            ]
            output = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout
            answers.write_text(output)
        return dict(zip(BOMBS, map(json.loads, answers.read_text().splitlines()), strict=True))


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_little_memory(answers_by_bomb, name):
    answer = answers_by_bomb[name]
    assert answer["MiB"] < 256
    assert BOMBS[name][2] in " ".join(answer["faults"])


@pytest.mark.heavy
def test_every_bomb_is_refused_at_once(answers_by_bomb, figures):
    n_refused = sum(
        BOMBS[name][2] in " ".join(answer["faults"]) for name, answer in answers_by_bomb.items()
    )
    figures.record("bombs refused", n_refused, at_least=figures.size("bombs", run=len(BOMBS)))
    figures.record(
        "the slowest",
        max(answer["seconds"] for answer in answers_by_bomb.values()),
        "s of processor time",
        at_most=2,
    )
    figures.record(
        "the largest", max(answer["MiB"] for answer in answers_by_bomb.values()), "MiB", at_most=256
    )
