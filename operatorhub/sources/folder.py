"""Folders: of a file-based catalog, or of bundles."""
