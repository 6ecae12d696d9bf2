"""Who watches the cluster: runs inside a Celery worker, writes into resources.changes, knows nothing of browsers."""
