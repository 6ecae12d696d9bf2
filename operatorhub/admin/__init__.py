"""CatalogSources, ClusterCatalogs, the console's own catalogs and OperatorGroups, made and changed."""
