"""Template tags about the product, for any page, even one without context."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def version() -> str:
    """The product's version."""
    return str(settings.VERSION)
