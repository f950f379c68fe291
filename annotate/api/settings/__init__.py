"""API of a collection's settings: its scheme, guidelines and policy, with their versions."""

from rest_framework.parsers import JSONParser
from rest_framework.permissions import SAFE_METHODS

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.models import ApiToken, Collection, Role


class SettingsEndpoint(Endpoint):
    """The scopes and roles of all settings: leads and researchers read them, leads change them."""

    scope = ApiToken.Scope.NUMBERS_READ
    write_scope = ApiToken.Scope.COLLECTIONS_WRITE
    parser_classes = [JSONParser]

    def collection(self, request: TokenRequest, slug: str) -> Collection:
        """The collection, if the token's owner may read or change it by this request."""
        roles = LEADERS if request.method in SAFE_METHODS else (Role.LEAD,)
        return get_collection(request=request, slug=slug, roles=roles)

    def locked_collection(self, request: TokenRequest, slug: str) -> Collection:
        """As `collection`, which nobody else changes until the transaction ends.

        What a request leaves out stays as it is: it is read behind this lock.
        """
        key = self.collection(request, slug).pk
        return Collection.objects.select_for_update(no_key=True).get(pk=key)


def field_refusal(field: str, error: Exception) -> Unprocessable:
    """The refusal of one field by a service, with its sentence."""
    return Unprocessable(str(error), errors=[{"field": field, "message": str(error)}])
