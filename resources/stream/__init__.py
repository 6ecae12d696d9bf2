"""Who shows changes in browsers: runs in the web process, reads resources.changes, knows nothing of watches."""
