"""The catalog page: which packages there are, found, filtered, ranked and compared."""
