"""Template filters for the phrases of pages: `{{ n|counted:"pair" }}` is 1 pair, or 1,200 pairs."""

from django import template

from annotate.core.phrases import counted

register = template.Library()
register.filter("counted", counted)
