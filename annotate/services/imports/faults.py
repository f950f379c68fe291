"""Faults of files and import parameters: errors shown to the person, never failures of the site."""

from annotate.core.files.formats import FormatError
from annotate.core.levels.scheme_rules import BadScheme
from annotate.services.collection.collections import BadPolicy, CollectionExists, SchemeFrozen
from annotate.services.collection.media import MediaConflict
from annotate.services.collection.query_sets import BadQuerySetName, QuerySetExists
from annotate.services.collection.references import FileRejected, ReferenceExists
from annotate.services.imports.item_loader import QueriesFixed

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
