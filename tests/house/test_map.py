"""The map in CONTRIBUTING is that of the contracts that imports are held to."""

import importlib.util
from types import ModuleType

from tests.house.test_layers import ROOT, text


def tool(name: str) -> ModuleType:
    """The module of a tool, which stands in no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_map_is_drawn_from_the_contracts() -> None:
    drawing = tool("draw_map").drawing()
    assert drawing == text(ROOT / "docs" / "images" / "map.svg"), (
        "run .venv/bin/python tools/draw_map.py"
    )
    assert ">services/seating<" in drawing and ">core/measures<" in drawing
