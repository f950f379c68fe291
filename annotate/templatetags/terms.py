"""Template tag for the terms of the field: `{% term "alpha" %}` is the word with its definition."""

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from annotate.core.terms import TERMS

register = template.Library()


@register.simple_tag(takes_context=True)
def term(context: Context, key: str, words: str = "") -> SafeString | str:
    """The word of a term, with a card that static/js/terms.js opens; once a page, then plain.

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
        'aria-describedby="{id}">{text}</button><span class="term-card" id="{id}" role="tooltip" '
        'hidden>{definition} <span class="term-source">{source}</span></span></span>',
        id=f"term-{slugify(key.replace('@', '-at-'))}",
        text=text,
        definition=entry.definition,
        source=entry.source,
    )
