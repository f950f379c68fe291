"""What any page may say of the product, those too that ask for nothing else."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def version() -> str:
    """The version that runs."""
    return str(settings.VERSION)
