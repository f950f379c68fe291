"""The rasters of previews, by which images that look alike are found; older ones wait for theirs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0034_archive"),
    ]

    operations = [
        migrations.AddField(
            model_name="preview",
            name="raster",
            field=models.BinaryField(
                blank=True,
                help_text="The image's mean colours, 32 by 32 cells of red, green and blue. NULL where there is no content, or none was computed yet; empty where it cannot be had.",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="preview",
            index=models.Index(
                condition=models.Q(("raster", None), ("reason", "")),
                fields=["collection"],
                name="annotate_preview_no_raster",
            ),
        ),
        migrations.AddConstraint(
            model_name="preview",
            constraint=models.CheckConstraint(
                condition=models.Q(("raster", None), ("reason", ""), _connector="OR"),
                name="annotate_preview_raster_of_content",
            ),
        ),
    ]
