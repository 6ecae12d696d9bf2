"""Who has access to a namespace, how it is given, and how it is taken away."""
