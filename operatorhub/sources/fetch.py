"""A catalog or bundle behind an address of the web."""
