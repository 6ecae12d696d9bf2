"""One segment of a REST path, made of a name from user input.

What Kubernetes refuses in a name (k8s.io/apimachinery, api/validation/path: ".", "..", "/" and "%") would be another
address than the one that was meant: HTTP clients and proxies take dot segments away (RFC 3986, 6.2.2.3), so that ".."
of a namespace's ConfigMaps is the namespace itself, and a server that decodes %2F before it looks for subresources
takes "web/exec" for one.
"""

from urllib.parse import quote

from kube.errors import NotFound

_NONE = frozenset({".", ".."})


def segment(name: str) -> str:
    """Ready for a path. Raises NotFound: nothing can have such a name."""
    if name in _NONE or "/" in name or "%" in name:
        raise NotFound(f'no object or namespace can be called "{name}"')
    return quote(name, safe="")
