# What was kept before is of no cluster, and so nobody's.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("prefer", "0001_preference"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="preference", name="one_preference"),
        migrations.AddField(
            model_name="preference",
            name="cluster",
            field=models.CharField(default="", max_length=512),
        ),
        migrations.AddConstraint(
            model_name="preference",
            constraint=models.UniqueConstraint(fields=("cluster", "user", "key"), name="one_preference"),
        ),
    ]
