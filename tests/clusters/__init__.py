"""Clusters of others: shapes that we don't run ourselves, and every page on each of them."""
