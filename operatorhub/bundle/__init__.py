"""One version of an operator and what is in it: versions and their graph, bundles, rights, images. Mostly pure."""
