"""File-based catalogs: olm.package, olm.channel, olm.bundle and olm.deprecations, as a stream of JSON or as YAML documents.

https://olm.operatorframework.io/docs/reference/file-based-catalogs/
"""
