from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0014_review"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="part",
            name="annotate_part_has_content",
        ),
        migrations.AlterField(
            model_name="part",
            name="kind",
            field=models.CharField(
                choices=[
                    ("text", "Text"),
                    ("html", "HTML"),
                    ("image", "Image"),
                    ("video", "Video"),
                    ("audio", "Audio"),
                ],
                max_length=5,
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ["text", "html"]), ("path", ""), models.Q(("text", ""), _negated=True)),
                    models.Q(("kind__in", ["image", "video", "audio"]), models.Q(("path", ""), _negated=True)),
                    _connector="OR",
                ),
                name="annotate_part_has_content",
            ),
        ),
    ]
