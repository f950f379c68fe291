"""Forms of the kinds of import, and the request of each valid one, for the pages and the API."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.forms import Form

from annotate.forms.collections import ItemsForm, JudgmentsImportForm, ReferenceForm
from annotate.forms.query_sets import QuerySetForm
from annotate.models import Import
from annotate.services.imports.kinds import (
    ImportRequest,
    ItemsImport,
    JudgmentsImport,
    QuerySetImport,
    ReferenceImport,
)


class ImportForm(NamedTuple):
    """The form of a kind of import, and the request made of a valid one."""

    form: type[Form]
    to_request: Callable[[Any], ImportRequest]


def _items(form: ItemsForm) -> ImportRequest:
    return ItemsImport()


def _reference(form: ReferenceForm) -> ImportRequest:
    fields = form.cleaned_data
    return ReferenceImport(
        name=fields["name"],
        grades=fields["grades"],
        min_grade=fields["min_grade"],
        skip_unknown=fields["skip_unknown"],
        skip_blank=fields["skip_blank"],
        columns=fields["columns"],
        make_documents=fields["make_documents"],
    )


def _judgments(form: JudgmentsImportForm) -> ImportRequest:
    fields = form.cleaned_data
    return JudgmentsImport(
        name=fields["name"], columns=form.columns(), skip_blank=fields["skip_blank"]
    )


def _query_set(form: QuerySetForm) -> ImportRequest:
    return QuerySetImport(name=form.cleaned_data["name"], direction=form.cleaned_data["direction"])


IMPORT_FORMS: Mapping[str, ImportForm] = {
    Import.Kind.ITEMS: ImportForm(ItemsForm, _items),
    Import.Kind.REFERENCE: ImportForm(ReferenceForm, _reference),
    Import.Kind.JUDGMENTS: ImportForm(JudgmentsImportForm, _judgments),
    Import.Kind.QUERY_SET: ImportForm(QuerySetForm, _query_set),
}
