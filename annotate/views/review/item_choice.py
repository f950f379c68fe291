"""The items with what is being typed, for the fields of forms that take an item's id."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.forms.item_search import ItemSearchForm
from annotate.http import SignedIn
from annotate.models import Role
from annotate.services.pages import item_search


@require_safe
@never_cache
@login_required
def item_choice(request: SignedIn, slug: str) -> HttpResponse:
    """The options of a field: the best matches on its side, with their pictures."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = ItemSearchForm(request.GET)
    if not form.is_valid():
        return HttpResponse(form.errors.as_text(), content_type="text/plain", status=422)
    side, text = form.cleaned_data["side"], form.cleaned_data["q"]
    matches = item_search.matches(collection=collection, side=side, text=text)
    note = item_search.words_note(collection=collection, sides=[side])
    items = [match.item for match in matches.first]
    choice = item_search.ItemChoice(side, text, items, matches.n, note)
    return render(
        request, "annotate/items/_choice.html", {"choice": choice, "collection": collection}
    )
