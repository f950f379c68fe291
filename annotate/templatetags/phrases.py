"""Template filters for the phrases of pages: `{{ n|counted:"pair" }}` is 1 pair, or 1,200 pairs."""

from django import template

from annotate.core.phrases import count_of, counted

register = template.Library()
register.filter("counted", counted)
register.filter("count_of", count_of)
