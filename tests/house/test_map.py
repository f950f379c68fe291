"""The map in CONTRIBUTING is that of the contracts that imports are held to."""

import importlib.util
from types import ModuleType

from tests.house.test_layers import ROOT, text


def draw_map() -> ModuleType:
    """The module of the tool, which stands in no package."""
    spec = importlib.util.spec_from_file_location("draw_map", ROOT / "tools" / "draw_map.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_map_is_drawn_from_the_contracts() -> None:
    drawing = draw_map().drawing()
    assert drawing == text(ROOT / "docs" / "images" / "map.svg"), (
        "run .venv/bin/python tools/draw_map.py"
    )
    assert ">services/seating<" in drawing and ">core/measures<" in drawing
