"""Files made to take all memory or time: each is refused within 2 s of processor time, all within 256 MiB."""

import fcntl
import json
import os
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from config.up.home import Home
from tests.pooling.core.bombs import BOMBS

pytestmark = pytest.mark.full
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def told(service_home: Home) -> dict[str, dict[str, Any]]:
    """What each bomb's reader said and took; asked by whichever of the run's processes comes first."""
    folder = service_home.var / "bombs"
    folder.mkdir(exist_ok=True)
    with open(folder / "told", "a+") as told:
        fcntl.flock(told, fcntl.LOCK_EX)  # the run's other processes wait
        if told.seek(0, os.SEEK_END) == 0:
            subprocess.run([sys.executable, "-m", "tests.pooling.core.bombs", folder], cwd=ROOT, check=True)
            arguments = [(kind, f"{folder}/{number}.bin") for number, (kind, _, _) in enumerate(BOMBS.values())]
            command = [sys.executable, "-m", "tests.pooling.core.read_hostile", *chain(*arguments)]
            told.write(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        told.seek(0)
        return dict(zip(BOMBS, map(json.loads, told), strict=True))


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(told, name):
    answer = told[name]
    assert answer["seconds"] < 2
    assert answer["MiB"] < 256
    assert BOMBS[name][2] in " ".join(answer["faults"])
