"""From a filled-in form to what it asks for; the same for the pages and the API."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.forms import Form

from annotate.forms import ItemsForm, JudgmentsForm, ReferenceForm
from annotate.models import Import
from annotate.query_set_forms import QuerySetForm
from annotate.services.import_kinds import Asked, Items, Judgments, QuerySetIds, Reference


class ImportForm(NamedTuple):
    """A kind's form, and what a valid one asks for."""

    form: type[Form]
    asked: Callable[[Any], Asked]


def _items(form: ItemsForm) -> Asked:
    return Items()


def _reference(form: ReferenceForm) -> Asked:
    given = form.cleaned_data
    return Reference(
        name=given["name"],
        grades=given["grades"],
        min_grade=given["min_grade"],
        skip_unknown=given["skip_unknown"],
        skip_blank=given["skip_blank"],
        columns=given["columns"],
        make_documents=given["make_documents"],
    )


def _judgments(form: JudgmentsForm) -> Asked:
    given = form.cleaned_data
    return Judgments(name=given["name"], columns=form.columns(), skip_blank=given["skip_blank"])


def _query_set(form: QuerySetForm) -> Asked:
    return QuerySetIds(name=form.cleaned_data["name"], direction=form.cleaned_data["direction"])


IMPORT_FORMS: Mapping[str, ImportForm] = {
    Import.Kind.ITEMS: ImportForm(ItemsForm, _items),
    Import.Kind.REFERENCE: ImportForm(ReferenceForm, _reference),
    Import.Kind.JUDGMENTS: ImportForm(JudgmentsForm, _judgments),
    Import.Kind.QUERY_SET: ImportForm(QuerySetForm, _query_set),
}
