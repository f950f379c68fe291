"""The handle of a collection."""

from assayer.client.collection.downloads import Downloads
from assayer.client.collection.labels import Labels
from assayer.client.collection.numbers import Numbers
from assayer.client.collection.pools import Pools
from assayer.client.collection.releases import Releases
from assayer.client.collection.review import Review
from assayer.client.collection.settings import Settings
from assayer.client.collection.uploads import Uploads


class Collection(Settings, Uploads, Pools, Review, Numbers, Labels, Downloads, Releases):
    """A collection of a site, as the token may see it.

    It reads nothing until a method is called. Methods raise AssayerError and its kinds.
    """
