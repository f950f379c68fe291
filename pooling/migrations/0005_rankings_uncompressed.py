"""Long arrays are stored as they are: PostgreSQL would spend most of the time of reading a run on packing them."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [('pooling', '0004_pool_sources')]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE pooling_ranking ALTER targets SET STORAGE EXTERNAL, ALTER scores SET STORAGE EXTERNAL",
            "ALTER TABLE pooling_ranking ALTER targets SET STORAGE EXTENDED, ALTER scores SET STORAGE EXTENDED",
        ),
    ]
