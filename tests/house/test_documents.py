"""The README links, directly or not, to every document and picture, and no link is broken.

Nor does a document name a module or a folder of the code that is not there.
"""

import re
from pathlib import Path

from tests.house.source_tree import own_files

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\((?!https?://)([^)#\s]+)[^)]*\)")
MODULE = re.compile(r"`([\w./-]+\.(?:py|js))`")
FOLDER = re.compile(
    r"`((?:annotate|pooling|metrics|config|demo|assayer|tests|tools|static|templates)/[\w./-]*/)`"
)


def linked_files(document: Path) -> set[Path]:
    """Paths that a document links to or shows; for a folder, also its documents."""
    paths = {(document.parent / target).resolve() for target in LINK.findall(document.read_text())}
    return paths | {path for folder in paths if folder.is_dir() for path in folder.glob("*.md")}


def reachable_files() -> set[Path]:
    visited, unvisited = set(), {ROOT / "README.md"}
    while unvisited:
        visited |= unvisited
        unvisited = {
            path
            for document in unvisited
            if document.suffix == ".md"
            for path in linked_files(document)
        } - visited
    return visited


def test_the_readme_leads_to_every_document_and_picture_and_nowhere_else():
    documents = set((ROOT / "docs").rglob("*.*"))
    assert documents - reachable_files() == set()
    assert {path for path in reachable_files() if not path.exists()} == set()


def test_documents_name_modules_and_folders_that_are_there():
    """A module may be named by the end of its path, where the sentence says of which room it is."""
    paths = [f"/{path.relative_to(ROOT)}" for path in own_files()]
    gone = {}
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        text = document.read_text()
        modules = {name for name in MODULE.findall(text) if not any_ends_with(paths, name)}
        folders = {name for name in FOLDER.findall(text) if not (ROOT / name).is_dir()}
        if modules | folders:
            gone[document.name] = modules | folders
    assert gone == {}


def any_ends_with(paths: list[str], name: str) -> bool:
    """True if one of the paths is this one, or ends with it after a slash."""
    return any(path.endswith(f"/{name}") for path in paths)
