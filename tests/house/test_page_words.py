"""Pages use plain words: none that docs/words.md, "On pages", keeps for the code.

Read are the texts of templates and the sentences that Python makes for pages. Programs, files and
the command line have names of their own, which stay.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.test_layers import APPS, ROOT, sources, text
from tests.house.test_words import tree

BANNED = {
    "a person": re.compile(r"\b(?:she|hers?|herself|he|him|his|himself)\b", re.IGNORECASE),
    "label": re.compile(r"\bseats?\b", re.IGNORECASE),
    "query": re.compile(r"\bsource items?\b", re.IGNORECASE),
    "planned test": re.compile(r"\b(?:all|any|these|each|every) looks?\b|^Looks$", re.IGNORECASE),
    "a plain order": re.compile(r"\bas loaded\b|\bmost gained\b", re.IGNORECASE),
    "flag": re.compile(r"\bguards?\b(?! against)|\bconcerns?\b(?= about)", re.IGNORECASE),
    "fair": re.compile(r"\bpool favours\b", re.IGNORECASE),
    "a noun": re.compile(r"^Stands$"),
    "an act": re.compile(r"^Look$"),
}
TEMPLATES = [file for kind in ("*.html", "*.txt") for file in sources("templates", pattern=kind)]
# Not for pages: texts of the API and of files, of the command line and of the database.
ELSEWHERE = {"api", "checks", "management", "models", "releases", "fsck.py", "migrations"}
PYTHON = [
    file for file in sources(*APPS, "config") if ELSEWHERE.isdisjoint(file.relative_to(ROOT).parts)
]
HIDDEN = re.compile(
    r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|<!--.*?-->|<(?:script|style)\b.*?</", re.DOTALL
)
SAID = re.compile(r'(?:aria-label|title|placeholder|alt)="([^"]*)"')  # texts within a tag
ARGUMENT = re.compile(r'"([^"]* [^"]*)"')  # texts within a template tag
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
ELEMENT = re.compile(r"<[^>]*>", re.DOTALL)
CAPITALIZED = re.compile(r"[A-Z][a-z]+$")
SQL = re.compile(r"\b(?:SELECT|FROM|UPDATE|INSERT|JOIN|WHERE)\b|\bseat\.\w")


def template_texts(source: str) -> Iterator[str]:
    """The texts of a template that readers see or hear, one for each element and tag."""
    page = HIDDEN.sub(" ", source)
    for tag in TAG.findall(page):
        yield from ARGUMENT.findall(tag)
    page = TAG.sub(" … ", page)
    yield from SAID.findall(page)
    yield from ELEMENT.split(page)


def sentences(file: Path) -> Iterator[tuple[str, int]]:
    """The texts of a file with their lines, but for SQL, names of code and what no reader sees.

    That are docstrings and the messages of assertions. A single word is a text with a capital.
    """
    unseen = {
        id(node.value if isinstance(node, ast.Expr) else node.msg)
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Expr | ast.Assert)
    }
    for node in ast.walk(tree(file)):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        is_text = " " in node.value.strip() or CAPITALIZED.match(node.value)
        if id(node) not in unseen and is_text and not SQL.search(node.value):
            yield node.value, node.lineno


def banned_words(words: str) -> list[str]:
    """The words of a text that pages do not use, each with a plain one in its place."""
    line = " ".join(words.split())
    return [
        f"{match[0]!r}, say {plain}"
        for plain, word in BANNED.items()
        for match in word.finditer(line)
    ]


def test_templates_have_plain_words() -> None:
    faults = [
        f"{file.relative_to(ROOT)}: {fault}"
        for file in TEMPLATES
        for words in template_texts(text(file))
        for fault in banned_words(words)
    ]
    assert not faults, "\n".join(faults)


def test_sentences_for_pages_have_plain_words() -> None:
    faults = [
        f"{file.relative_to(ROOT)}:{line}: {fault}"
        for file in PYTHON
        for words, line in sentences(file)
        for fault in banned_words(words)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "planted",
    [
        "<p>Ask her.</p>",
        '<table aria-label="Seats">',
        '{{ n|counted:"source item" }}',
        "<th>Looks</th>",
        "<p>A guard names them.</p>",
        "<th>Stands</th>",
        "<h1>What the\n pool favours</h1>",
    ],
)
def test_a_word_of_the_code_is_seen_where_it_is_planted(planted: str) -> None:
    assert [fault for words in template_texts(planted) for fault in banned_words(words)]


def test_a_single_word_of_python_is_seen_if_it_has_a_capital(tmp_path: Path) -> None:
    file = tmp_path / "acts.py"
    file.write_text('ACT, KEY = "Look", "look"\n', encoding="utf-8")
    assert [*sentences(file)] == [("Look", 1)]
    assert banned_words("Look")


@pytest.mark.parametrize(
    "planted",
    ["{# her seat #}", "{{ line.seat.pair }}", "<p>A run looks good.</p>", "<i>there</i>"],
)
def test_what_readers_do_not_see_is_free(planted: str) -> None:
    assert [fault for words in template_texts(planted) for fault in banned_words(words)] == []


BY_HAND = re.compile(r"\|\s*floatformat\b")


def test_templates_write_numbers_by_the_filters_of_their_kinds() -> None:
    """Those of annotate/templatetags/numbers.py, so that a kind has the same digits everywhere."""
    by_hand = [
        f"{file.relative_to(ROOT)}: {match[0]}"
        for file in TEMPLATES
        for match in BY_HAND.finditer(text(file))
    ]
    assert not by_hand, "\n".join(by_hand)
