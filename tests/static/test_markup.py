"""Templates, styles and scripts keep to the content security policy and to size limits."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>", re.IGNORECASE)
INLINE_STYLE = re.compile(
    r"<style|\sstyle\s*=|\shx-on[:-]|\son[a-z]+\s*=\s*[\"']|[\"']\s*javascript:", re.IGNORECASE
)
ELSEWHERE = re.compile(r"(?:src|href|action)=[\"'](?:https?:)?//", re.IGNORECASE)
CLASSES = re.compile(r'class="([^"]*)"')
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}")
UNSTYLED = {"media-video"}  # the other kinds of media have styles
MARKUP_FROM_DATA = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
)


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("file", TEMPLATES, ids=name)
def test_a_template_has_no_inline_script_or_style_and_loads_nothing_from_elsewhere(file):
    text = file.read_text()
    assert INLINE_SCRIPT.findall(text) == []
    assert INLINE_STYLE.findall(text) == []
    assert ELSEWHERE.findall(text) == []


@pytest.mark.parametrize("file", TEMPLATES, ids=name)
def test_a_templates_short_comments_end_on_their_line(file):
    """Django shows such a comment to readers if it spans several lines."""
    assert [
        line for line in file.read_text().splitlines() if line.count("{#") != line.count("#}")
    ] == []


def test_every_class_of_a_template_is_known_to_a_sheet_or_a_script():
    known_words = {
        word for sheet in SHEETS for word in re.findall(r"\.([a-z][\w-]*)", sheet.read_text())
    } | UNSTYLED
    known_words |= {
        word for script in SCRIPTS for word in re.findall(r"[a-z][\w-]*", script.read_text())
    }
    faults = {}
    for file in TEMPLATES:
        # a name completed by a tag, as in "badge-{{ kind }}", is skipped
        words = " ".join(CLASSES.findall(TAG.sub("*", file.read_text()))).split()
        if unknown := {word for word in words if "*" not in word} - known_words:
            faults[name(file)] = unknown
    assert faults == {}


@pytest.mark.parametrize("file", TEMPLATES + SCRIPTS, ids=name)
def test_templates_and_scripts_stay_below_150_lines(file):
    assert len(file.read_text().splitlines()) <= 150


@pytest.mark.parametrize("file", SCRIPTS, ids=name)
def test_a_script_never_makes_markup_or_code_from_data(file):
    assert MARKUP_FROM_DATA.findall(file.read_text()) == []


@pytest.mark.parametrize("file", SHEETS, ids=name)
def test_a_sheet_lives_in_a_layer(file):
    assert "@layer" in file.read_text()


def test_markup_would_be_found_if_it_were_there():
    assert INLINE_SCRIPT.search("<script>alert(1)</script>")
    assert not INLINE_SCRIPT.search('<script id="x" type="application/json">')
    for planted in (
        '<p style="x">',
        "<style>",
        '<a onclick="x()">',
        '<a href="javascript:x">',
        "<i hx-on:click>",
    ):
        assert INLINE_STYLE.search(planted), planted
    assert ELSEWHERE.search('<script src="//cdn.example/x.js">')


@pytest.mark.parametrize("file", SCRIPTS, ids=name)
def test_no_script_imports_one_that_a_page_loads_itself(file):
    """With hashed names the page's copy and the imported one have two URLs, and would run twice."""
    loaded = {
        path
        for template in TEMPLATES
        for path in re.findall(r"static 'js/([\w/-]+\.js)'", template.read_text())
    }
    imported = {
        (file.parent / path).resolve()
        for path in re.findall(r"from \"(\./[\w-]+\.js)\"", file.read_text())
    }
    assert imported & {(ROOT / "static" / "js" / path).resolve() for path in loaded} == set()
