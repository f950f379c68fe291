"""Template tags for the terms of the field: `{% term "alpha" %}` is the word with its definition.

Of a sentence from Python, `{% terms_in sentence %}` gives those among its words their cards.
"""

import re

from django import template
from django.template import Context
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from annotate.core.terms import TERMS

register = template.Library()

# as they stand in a sentence that is escaped; the longest that fits is taken
PHRASES = {str(escape(phrase)): key for key, entry in TERMS.items() for phrase in entry.phrases}
PHRASE = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, sorted(PHRASES, key=len, reverse=True)))})(?![\w-])"
)


@register.simple_tag(takes_context=True)
def term(context: Context, key: str, words: str = "") -> SafeString | str:
    """The word of a term, with a card that static/js/terms.js opens; once a page, then plain.

    Until the script is there, the browser shows the definition on hover.

    key : of TERMS; any other is a KeyError
    words : shown in place of the term's own word, as at the beginning of a sentence
    """
    entry = TERMS[key]
    text = words or entry.word
    request = getattr(context, "request", None) or context.get("request")
    if request is None:
        return text
    shown_keys = request.__dict__.setdefault("term_cards", set())
    if key in shown_keys:
        return text
    shown_keys.add(key)
    return format_html(
        '<span class="term"><button type="button" class="term-word" '
        'aria-describedby="{id}" title="{definition}">{text}</button>'
        '<span class="term-card" id="{id}" role="tooltip" hidden>'
        '{definition} <span class="term-source">{source}</span></span></span>',
        id=f"term-{slugify(key.replace('@', '-at-'))}",
        text=text,
        definition=entry.definition,
        source=entry.source,
    )


@register.simple_tag(takes_context=True)
def terms_in(context: Context, sentence: str) -> SafeString:
    """A sentence, escaped, whose words for terms are as `term` makes them: once a page a card."""

    def card_of(match: re.Match[str]) -> str:
        # the word stands in escaped text
        return term(context, PHRASES[match[0]], mark_safe(match[0]))  # noqa: S308

    # the sentence is escaped, and the cards are marked up by format_html
    return mark_safe(PHRASE.sub(card_of, conditional_escape(sentence or "")))  # noqa: S308
