"""Watches of the cluster: run inside a Celery worker, write into resources.changes, independent of browsers."""
