"""The README links, directly or not, to every document and picture, and no link is broken."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\((?!https?://)([^)#\s]+)[^)]*\)")


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
