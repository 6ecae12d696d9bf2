"""Kinds: which the cluster serves, who brought them, and what their schemas say."""
