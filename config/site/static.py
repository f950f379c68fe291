"""Static files under names that change with their content, imported scripts included."""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStorage(ManifestStaticFilesStorage):
    """Scripts import one another by hashed names too, so that releases never mix."""

    support_js_module_import_aggregation = True


class CompressedStorage(CompressedManifestStaticFilesStorage):
    """The hashed storage, with compressed files."""

    support_js_module_import_aggregation = True
