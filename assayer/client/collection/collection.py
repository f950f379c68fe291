"""The handle of a collection."""

from assayer.client.collection.uploads import Uploads


class Collection(Uploads):
    """A collection of a site, as the token may see it.

    It reads nothing until a method is called. Methods raise AssayerError and its kinds.
    """
