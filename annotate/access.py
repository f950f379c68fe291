"""Access rights: for each kind of object, one lookup that checks them.

Every view, API endpoint and form gets its objects here. An object without access does not exist for
a person: the answer is 404, never 403, so that names and keys of other collections do not leak.
Only the API tells a member of a collection which role she lacks there (`annotate.api`).
"""

from collections.abc import Collection as Container
from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotate.models import (
    Annotator,
    ApiToken,
    Batch,
    Collection,
    Concern,
    Delivery,
    Gold,
    Hook,
    Import,
    Invitation,
    Membership,
    Pair,
    Part,
    Preview,
    ReviewWork,
    Role,
    TrainingPair,
    User,
)
from annotate.statements import columns, objects, prepared_cursor

Person = User | AnonymousUser
LEADERS = (Role.LEAD, Role.RESEARCHER)
EVERYBODY = (Role.ANNOTATOR, Role.LEAD, Role.RESEARCHER)
_ANNOTATOR = f"""
    SELECT {columns(Annotator, "annotator")}, {columns(Collection, "collection")}
    FROM annotate_annotator annotator
    JOIN annotate_collection collection ON collection.id = annotator.collection_id
    WHERE annotator.user_id = %(user)s AND collection.slug = %(slug)s
      AND EXISTS (SELECT FROM annotate_membership membership
                  WHERE membership.collection_id = collection.id
                  AND membership.user_id = annotator.user_id AND membership.role = 'annotator')
"""  # noqa: S608 - names of columns


def collections_of(*, user: Person, roles: Container[Role] = EVERYBODY) -> QuerySet[Collection]:
    """The collections in which a person holds one of these roles; all of them for site admins."""
    if not user.is_authenticated or not user.is_active:
        return Collection.objects.none()
    if user.is_superuser:
        return Collection.objects.all()
    memberships = Membership.objects.filter(user=user, role__in=roles)
    return Collection.objects.filter(pk__in=memberships.values("collection"))


def get_collection(*, user: Person, slug: str, roles: Container[Role] = EVERYBODY) -> Collection:
    """Return the collection, if the person holds one of the roles in it; else Http404."""
    return get_object_or_404(collections_of(user=user, roles=roles), slug=slug)


def roles_in(*, user: Person, collection: Collection) -> set[Role]:
    """The roles a person holds; a site admin leads and researches everywhere, judges nowhere."""
    if not user.is_authenticated:
        return set()
    return roles_of(user=user, memberships=collection.memberships.filter(user=user))


def roles_of(*, user: User, memberships: Iterable[Membership]) -> set[Role]:
    """The roles in a collection of which a person has these memberships, as `roles_in`."""
    roles = {Role(membership.role) for membership in memberships}
    return roles | ({Role.LEAD, Role.RESEARCHER} if user.is_superuser else set())


def may_make_collections(*, user: Person) -> bool:
    """True if a person may start a collection: leads and researchers of any, and site admins."""
    if not user.is_authenticated or not user.is_active:
        return False
    return user.is_superuser or Membership.objects.filter(user=user, role__in=LEADERS).exists()


def require_maker(*, user: Person) -> None:
    """Http404 unless the person may start a collection."""
    if not may_make_collections(user=user):
        raise Http404


def get_annotator(*, user: Person, slug: str) -> Annotator:
    """Return this person's annotator in the collection; Http404 unless she holds the role."""
    with prepared_cursor() as cursor:  # runs with every answer; without a sign-in no row matches
        cursor.execute(_ANNOTATOR, {"user": user.pk, "slug": slug})
        row = cursor.fetchone()
    if row is None:
        raise Http404
    annotator, collection = objects(row, Annotator, Collection)
    annotator.collection = collection
    return annotator


def get_part(*, user: Person, slug: str, pk: int) -> Part:
    """One medium of a collection's item, for every member of the collection."""
    collection = get_collection(user=user, slug=slug)
    return get_object_or_404(
        Part.objects.select_related("item"), pk=pk, item__collection=collection
    )


def get_preview(*, user: Person, slug: str, pk: int, preview: int) -> Preview:
    """The preview of a medium, for every member of the collection: both keys must be of it."""
    part = get_part(user=user, slug=slug, pk=pk)
    return get_object_or_404(Preview, pk=preview, parts=part)


def get_import(*, user: Person, slug: str, pk: int, roles: Container[Role] = LEADERS) -> Import:
    """One file brought into the collection, for leads and researchers."""
    collection = get_collection(user=user, slug=slug, roles=roles)
    return get_object_or_404(
        Import.objects.select_related("collection", "by", "work"), pk=pk, collection=collection
    )


def get_membership(*, user: Person, slug: str, pk: int) -> Membership:
    """One role somebody holds in the collection, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    return get_object_or_404(
        Membership.objects.select_related("user"), pk=pk, collection=collection
    )


def get_invitation(*, user: Person, slug: str, pk: int) -> Invitation:
    """One invitation to the collection, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    return get_object_or_404(Invitation, pk=pk, collection=collection)


def get_led_annotator(
    *, user: Person, slug: str, pk: int, roles: Container[Role] = (Role.LEAD,)
) -> Annotator:
    """Any annotator of the collection, for its leads; see get_annotator for oneself."""
    collection = get_collection(user=user, slug=slug, roles=roles)
    return get_object_or_404(
        Annotator.objects.select_related("collection", "user"), pk=pk, collection=collection
    )


def get_training_pair(*, user: Person, slug: str, pk: int) -> TrainingPair:
    """One pair of the collection that people are trained on, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    pairs = TrainingPair.objects.select_related("pair__collection")
    return get_object_or_404(pairs, pk=pk, pair__collection=collection)


def own_annotators(*, user: Person, slug: str = "") -> QuerySet[Annotator]:
    """This person's annotators, in the collections she judges or judged in, or in the named one.

    Http404 for a collection in which she has none.
    """
    if not user.is_authenticated:
        raise Http404
    annotators = Annotator.objects.filter(user=user).select_related("collection").order_by("pk")
    if not slug:
        return annotators
    if not annotators.filter(collection__slug=slug).exists():
        raise Http404
    return annotators.filter(collection__slug=slug)


def get_token(*, user: Person, pk: int) -> ApiToken:
    """One of the person's own keys for programs."""
    if not user.is_authenticated:
        raise Http404
    return get_object_or_404(ApiToken, pk=pk, user=user)


def get_pair(*, user: Person, slug: str, pk: int, roles: Container[Role] = LEADERS) -> Pair:
    """One pair, for leads and researchers: annotators see pairs only as cards."""
    collection = get_collection(user=user, slug=slug, roles=roles)
    pairs = Pair.objects.select_related("collection", "query", "document")
    return get_object_or_404(
        pairs.prefetch_related("query__parts", "document__parts"), pk=pk, collection=collection
    )


def get_batch(*, user: Person, slug: str, pk: int) -> Batch:
    """One batch of a collection's annotators, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    batches = Batch.objects.with_judging_numbers().select_related("collection", "annotator__user")
    return get_object_or_404(batches, pk=pk, collection=collection)


def get_concern(*, user: Person, slug: str, pk: int) -> Concern:
    """A concern about one of the collection's people, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    concerns = Concern.objects.select_related("annotator")
    return get_object_or_404(concerns, pk=pk, collection=collection)


def get_review_work(*, user: Person, slug: str, pk: int) -> ReviewWork:
    """Progress of one decision of the collection's leads, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    decisions = ReviewWork.objects.select_related(
        "action__annotator", "action__item", "action__batch", "work"
    )
    return get_object_or_404(decisions, pk=pk, action__collection=collection)


def get_gold(*, user: Person, slug: str, pk: int) -> Gold:
    """One gold of the collection, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    return get_object_or_404(Gold, pk=pk, collection=collection)


def get_hook(*, user: Person, slug: str, pk: int) -> Hook:
    """One webhook of the collection, for its leads."""
    collection = get_collection(user=user, slug=slug, roles=(Role.LEAD,))
    return get_object_or_404(
        Hook.objects.select_related("collection", "by"), pk=pk, collection=collection
    )


def get_delivery(*, user: Person, slug: str, pk: int, delivery: int) -> Delivery:
    """One delivery to one webhook of the collection, for its leads: both keys must belong to it."""
    hook = get_hook(user=user, slug=slug, pk=pk)
    return get_object_or_404(Delivery.objects.select_related("hook"), pk=delivery, hook=hook)
