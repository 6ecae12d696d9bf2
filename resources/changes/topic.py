"""What may be followed, and its name in addresses and in Redis."""

from dataclasses import dataclass
from urllib.parse import quote, unquote


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What may be followed: one type in one namespace ('' = all). `group` is 'core' for the empty one."""

    cluster: str
    group: str
    version: str
    plural: str
    namespace: str = ""

    def __str__(self) -> str:
        """'<cluster>/<group>/<version>/<plural>/<namespace or ->', without spaces, so that a page can list several."""
        return f"{quote(self.cluster, safe='/:@')}/{self.group}/{self.version}/{self.plural}/{self.namespace or '-'}"

    @classmethod
    def parse(cls, text: str) -> "Topic":
        """Raises ValueError. The cluster's name may hold slashes, the other parts can't."""
        parts = text.rsplit("/", 4)
        if len(parts) != 5 or not all(parts):
            raise ValueError(f"{text!r} is no topic: <cluster>/<group or core>/<version>/<plural>/<namespace or ->")
        cluster, group, version, plural, namespace = parts
        return cls(
            cluster=unquote(cluster),
            group=group,
            version=version,
            plural=plural,
            namespace="" if namespace == "-" else namespace,
        )
