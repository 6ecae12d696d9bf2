"""A catalog or bundle in a registry, by the OCI distribution API."""
