"""Search for objects of all kinds."""
