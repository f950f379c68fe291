"""The list of a pool's pairs, each with its origin."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.http import SignedIn
from pooling import access
from pooling.forms.runs import PoolPairsForm
from pooling.services.pages import pool_pairs as service


@require_safe
@never_cache
@login_required
def pool_pairs(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The pairs of a pool, filtered, a page at a time."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    form = PoolPairsForm(request.GET, pool=pool)
    page = None
    if form.is_valid():
        page = service.pairs_of(pool=pool, pair_filter=form.pair_filter(), viewer=request.user)
    context = {
        "collection": pool.collection,
        "pool": pool,
        "form": form,
        "page": page,
        "query": urlencode(
            {name: str(value) for name, value in request.GET.items() if name != "after" and value}
        ),
    }
    return render(request, "pooling/pools/pairs.html", context, status=200 if page else 422)
