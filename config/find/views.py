"""The matches of what is being typed, as the part of a page that Ctrl K asks for."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from config.find import answers
from config.find.forms import FindForm


@require_safe
@never_cache
@login_required
def find(request: SignedIn, slug: str = "") -> HttpResponse:
    """The best matches in a collection that the person takes part in; without one, those beside."""
    collection = access.get_collection(user=request.user, slug=slug) if slug else None
    form = FindForm(request.GET)
    if not form.is_valid():
        return HttpResponse(form.errors["q"].as_text(), content_type="text/plain", status=422)
    text = form.cleaned_data["q"]
    answer = answers.answer(user=request.user, collection=collection, text=text)
    return render(request, "find/_answer.html", {"answer": answer})
