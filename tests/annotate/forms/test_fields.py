"""Fields of forms that several forms share."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.forms.fields import UploadField


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("load_run", "load it on the server: python3 manage.py load_run."),
        ("", "cut it into smaller ones."),
    ],
)
def test_too_large_a_file_is_refused_with_what_to_do(settings, command, advice):
    settings.UPLOAD_MAX_BYTES = 2
    field = UploadField(command=command, help_text="A file.")
    with pytest.raises(ValidationError, match=re.escape(advice)):
        field.clean(SimpleUploadedFile("a.csv", b"abc"))
