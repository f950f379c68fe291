"""Real judgments and runs, which are not shipped: ASSAYER_DATA names their folder."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("ASSAYER_DATA") or "/nonexistent")
needs_real_data = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="ASSAYER_DATA names no folder of data sets"
)
