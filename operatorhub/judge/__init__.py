"""The package page: everything that one should know of an operator before it is installed."""
