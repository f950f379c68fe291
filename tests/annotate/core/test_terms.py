"""The terms of the field: short definitions, each of which some page shows."""

import re
from pathlib import Path

import pytest
from django.utils.html import escape

from annotate.core.terms import TERMS
from annotate.templatetags.terms import PHRASE, PHRASES
from metrics.services.analysis.register import ANALYSES

ROOT = Path(__file__).resolve().parents[3]
USE = re.compile(r"""\{% term "([^"]+)"( "[^"]+"| [\w.]+)? %\}""")
ANY_USE = re.compile(r"\{%\s*term\b")
TEMPLATES = {file: file.read_text() for file in sorted((ROOT / "templates").rglob("*.html"))}


def test_every_term_of_a_template_has_a_definition_and_every_definition_a_page():
    uses = [key for text in TEMPLATES.values() for key, _ in USE.findall(text)]
    definitions = " ".join(analysis.definition for analysis in ANALYSES.values())
    of_analyses = {PHRASES[phrase] for phrase in PHRASE.findall(str(escape(definitions)))}
    assert set(uses) | of_analyses == set(TERMS)
    assert len(uses) == sum(len(ANY_USE.findall(text)) for text in TEMPLATES.values())


@pytest.mark.parametrize("key", TERMS)
def test_a_definition_is_sentences_of_at_most_forty_words_with_a_source(key):
    term = TERMS[key]
    assert len(term.definition.split()) <= 40 and term.definition.endswith(".")
    assert term.word and term.source


@pytest.mark.parametrize("key", TERMS)
def test_a_source_that_is_a_page_of_the_docs_exists(key):
    pages = re.findall(r"docs/[\w/-]+\.md", TERMS[key].source)
    assert all((ROOT / page).is_file() for page in pages)
    assert pages or re.search(r"\b(19|20)\d\d\b", TERMS[key].source)
