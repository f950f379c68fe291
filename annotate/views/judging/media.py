"""One image, clip or sound of an item, for the members of its collection."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.services.collection.media import medium_answer


@require_safe
@login_required
def part_media(request: SignedIn, slug: str, pk: int, number: int = 0) -> HttpResponseBase:
    """The file of a part, or the stretch of it that a player asks for.

    number : index of the part's source, in the order browsers try them
    """
    part = access.get_part(user=request.user, slug=slug, pk=pk)
    return medium_answer(request=request, part=part, number=number)
