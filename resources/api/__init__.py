"""/api/resources/: the same as the pages, as JSON, with the rights of the one who asks."""
