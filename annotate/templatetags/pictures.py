"""Template tag for the picture of an item: `{% picture_of item slug as picture %}`."""

from django import template

from annotate.services.pictures.item_pictures import picture_of

register = template.Library()
register.simple_tag(picture_of)
