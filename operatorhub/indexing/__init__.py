"""Catalogs become rows of the database, away from people's requests."""
