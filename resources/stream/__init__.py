"""Live updates for browsers: runs in the web process, reads resources.changes, doesn't use watches."""
