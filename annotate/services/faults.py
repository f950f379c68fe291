"""What can be wrong with a file or with what is asked of it: said to the person, never a failure of ours."""

from annotate.core.formats import FormatError
from annotate.services.collections import BadPolicy, BadScheme, CollectionExists, SchemeFrozen
from annotate.services.loading import QueriesFixed
from annotate.services.media import MediaConflict
from annotate.services.query_sets import BadQuerySetName, QuerySetExists
from annotate.services.references import ReferenceExists, Rejected

FAULTS = (
    FormatError,
    Rejected,
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
