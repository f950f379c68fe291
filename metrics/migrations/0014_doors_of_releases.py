"""The triggers of releases look for tables in `public` first: no temporary one passes for another."""

from importlib import import_module

from django.db import migrations

SEARCH_PATH = import_module("annotate.migrations.0030_doors_of_walls").SEARCH_PATH
FUNCTIONS = (
    "metrics_refuse_release_change",
    "metrics_refuse_release_run_change",
    "metrics_refuse_release_part",
)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0030_doors_of_walls"), ("metrics", "0013_run_keys")]

    operations = [
        migrations.RunSQL(
            f"ALTER FUNCTION {name}() {SEARCH_PATH}", f"ALTER FUNCTION {name}() RESET search_path"
        )
        for name in FUNCTIONS
    ]
