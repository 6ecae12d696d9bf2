"""OLM v1's ClusterCatalogs."""
