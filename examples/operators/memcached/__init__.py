"""Memcached: the operator of Operator SDK's tutorial, in Python (kopf). README.md says how to make one like it."""
