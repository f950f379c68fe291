"""The tag `term`: a word with its card, of which a page has one."""

import pytest
from django.template import RequestContext, Template
from django.test import RequestFactory

from annotate.core.terms import TERMS


def page_of(markup: str, **values: str) -> str:
    request = RequestFactory().get("/")
    return Template(markup).render(RequestContext(request, values, processors=[]))


def test_a_term_is_a_button_that_its_card_describes():
    page = page_of('{% term "C@k" %}')
    assert '<button type="button" class="term-word" aria-describedby="term-c-at-k" title="' in page
    assert 'id="term-c-at-k" role="tooltip" hidden>' in page
    assert page.replace("&#x27;", "'").count(TERMS["C@k"].definition) == 2  # one without a script


def test_a_page_has_the_card_of_a_term_once_and_the_plain_word_after():
    page = page_of('{% term "pool" %}, {% term "pool" "Pools" %}, {% term "depth" %}')
    assert page.count('id="term-pool"') == 1 and page.count('id="term-depth"') == 1
    assert "</span>, Pools, <span" in page


def test_another_page_has_it_again():
    assert page_of('{% term "pool" %}') == page_of('{% term "pool" %}')


def test_without_a_request_there_is_the_word_alone():
    assert Template('{% term "pool" "Pools" %}').render(RequestContext(None)) == "Pools"


def test_a_term_without_a_definition_is_a_fault_of_the_template():
    with pytest.raises(KeyError):
        page_of('{% term "houses" %}')


def test_the_words_of_a_sentence_from_python_have_cards_and_the_rest_is_escaped():
    sentence = "Kendall's tau-b < 1, by RBO, tau-bs and Kendall's tau"
    page = page_of("{% terms_in sentence %}", sentence=sentence)
    assert page.count('id="term-tau"') == 1 and page.count('id="term-rbo"') == 1
    assert '">Kendall&#x27;s tau-b</button>' in page and "</span> &lt; 1, by <span" in page
    assert page.endswith(", tau-bs and Kendall&#x27;s tau")


def test_what_is_marked_up_already_stays_as_it_is():
    page = page_of(
        """{% with s="5 Mar 2026 07:08 UTC" %}{% terms_in s|local_times %}{% endwith %}"""
    )
    assert page.startswith('<time datetime="2026-03-05T07:08:00+00:00"')
