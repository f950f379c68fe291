"""Faults of files and import parameters: errors shown to the person, never failures of the site."""

from annotate.core.files.formats import FormatError
from annotate.services.collections import BadPolicy, BadScheme, CollectionExists, SchemeFrozen
from annotate.services.item_loader import QueriesFixed
from annotate.services.media import MediaConflict
from annotate.services.query_sets import BadQuerySetName, QuerySetExists
from annotate.services.references import FileRejected, ReferenceExists

IMPORT_FAULTS = (
    FormatError,
    FileRejected,
    ReferenceExists,
    QuerySetExists,
    BadQuerySetName,
    QueriesFixed,
    MediaConflict,
    BadPolicy,
    BadScheme,
    CollectionExists,
    SchemeFrozen,
)
