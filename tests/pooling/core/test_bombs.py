"""Files made to take all memory or time: each is refused within 2 s of processor time, all within 256 MiB."""

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.pooling.core.bombs import BOMBS

pytestmark = pytest.mark.full
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What each bomb's reader said and took."""
    folder = tmp_path_factory.mktemp("bombs")
    subprocess.run([sys.executable, "-m", "tests.pooling.core.bombs", folder], cwd=ROOT, check=True)
    arguments = [(kind, f"{folder}/{number}.bin") for number, (kind, _, _) in enumerate(BOMBS.values())]
    command = [sys.executable, "-m", "tests.pooling.core.read_hostile", *chain(*arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(zip(BOMBS, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(told, name):
    answer = told[name]
    assert answer["seconds"] < 2
    assert answer["MiB"] < 256
    assert BOMBS[name][2] in " ".join(answer["faults"])
