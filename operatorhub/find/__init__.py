"""The catalog page: which packages there are, found, filtered, ranked and compared; and the page of one package."""
