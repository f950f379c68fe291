"""The documents: from the README one comes to each of them and to each picture, and no link leads nowhere."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\((?!https?://)([^)#\s]+)[^)]*\)")


def linked(document: Path) -> set[Path]:
    """What a document links to or shows; of a folder, its documents."""
    found = {(document.parent / target).resolve() for target in LINK.findall(document.read_text())}
    return found | {path for folder in found if folder.is_dir() for path in folder.glob("*.md")}


def reached() -> set[Path]:
    seen, left = set(), {ROOT / "README.md"}
    while left:
        seen |= left
        left = {path for document in left if document.suffix == ".md" for path in linked(document)} - seen
    return seen


def test_the_readme_leads_to_every_document_and_picture_and_nowhere_else():
    there = set((ROOT / "docs").rglob("*.*"))
    assert there - reached() == set()
    assert {path for path in reached() if not path.exists()} == set()
