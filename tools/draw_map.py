"""Draw docs/images/map.svg: the applications and their rooms, each above what it stands on.

    .venv/bin/python tools/draw_map.py

The order is that of the contracts in pyproject.toml, which the tests hold the imports to; the
sentences are those of the packages. Rooms in one band do not import each other.
"""

import ast
import html
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "docs" / "images" / "map.svg"
APPS = {
    "config": "settings, addresses, the two commands",
    "metrics": "numbers from the judgments",
    "pooling": "runs, and the pairs of them worth judging",
    "annotate": "collections, people, their judgments",
}
FLOW = "urls → views | api | admin | management → receivers → tasks → services → models → core"
WIDTH, PAD = 980, 16
ROW, BETWEEN, HEAD = 26, 6, 40  # heights of a room, of the gap between layers, of a name
NAMES_AT, SENTENCES_AT = 2 * PAD + 12, 210
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1d2730 }
  .name { font-size: 17px; font-weight: 600 } .quiet { fill: #55636e }
  .app { fill: #f4f6f8; stroke: #c5ced6 } .room { fill: #dcebf7; stroke: #8fb4d2 }
  .core { fill: #e3f1df; stroke: #9bc28e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6ebef } .quiet { fill: #a3b0ba }
    .app { fill: #1a2127; stroke: #3d4a54 } .room { fill: #1f3a50; stroke: #3f6c8e }
    .core { fill: #24402a; stroke: #4c7c52 }
  }
"""
Layers = list[list[str]]  # rooms side by side, the highest first


def main() -> None:
    """Draw the map."""
    MAP.write_text(drawing())


def drawing() -> str:
    """Return the map as SVG."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = dict(room_layers(contracts["contracts"]))
    parts, top = [text(PAD, 26, FLOW, "quiet")], 44
    for app, purpose in APPS.items():
        bottom, rooms = top + HEAD, []
        if app == "config":
            bottom, rooms = bands(app, [folders(ROOT / app)], bottom, "room")
        for folder, kind in (("services", "room"), ("core", "core")):
            bottom, more = bands(f"{app}/{folder}", layers.get(f"{app}.{folder}", []), bottom, kind)
            rooms += more
        parts += [box(PAD, top, WIDTH - 2 * PAD, bottom - top + 6, "app")]
        parts += [text(2 * PAD, top + 26, app, "name"), text(130, top + 26, purpose, "quiet")]
        parts += rooms
        top = bottom + 18
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img">'
    head += "<title>The applications and their rooms</title>"
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>", ""])


def room_layers(
    contracts: Sequence[Mapping[str, Sequence[str]]],
) -> Iterator[tuple[str, Layers]]:
    """Yield the folders whose rooms have an order, with their layers from the top."""
    for contract in contracts:
        if contract.get("exhaustive"):
            rows = [[room.strip() for room in row.split("|")] for row in contract["layers"]]
            yield contract["containers"][0], rows


def folders(folder: Path) -> list[str]:
    """Return the names of the packages in a folder that say what they are."""
    return sorted(path.parent.name for path in folder.glob("*/__init__.py") if path.stat().st_size)


def bands(folder: str, layers: Layers, top: int, kind: str) -> tuple[int, list[str]]:
    """Draw a band for each layer, in it a line for each room; return its end and its parts."""
    parts = []
    for layer in layers:
        parts.append(box(2 * PAD, top, WIDTH - 4 * PAD, ROW * len(layer), kind))
        for i, room in enumerate(layer):
            y = top + i * ROW + 18
            name = f"{folder.partition('/')[2]}/{room}".removeprefix("/")
            parts += [text(NAMES_AT, y, name), text(SENTENCES_AT, y, sentence(folder, room))]
        top += ROW * len(layer) + BETWEEN
    return top, parts


def sentence(folder: str, room: str) -> str:
    """Return the first line of the docstring of a package, or of a module."""
    package = ROOT / folder / room
    file = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    module = ast.parse(file.read_text())
    first_line = (ast.get_docstring(module) or "").partition("\n")[0].replace("`", "")
    return html.escape(first_line, quote=False)


def box(x: int, y: int, width: int, height: int, kind: str) -> str:
    """Draw a box with round corners."""
    frame = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    return f'<rect class="{kind}" {frame} rx="6"/>'


def text(x: int, y: int, words: str, kind: str = "") -> str:
    """Write words that begin at a place."""
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{attribute}>{words}</text>'


if __name__ == "__main__":
    main()
