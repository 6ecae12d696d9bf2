"""TLS as kubectl and Go's programs read certificates."""

import ssl


def client_context(*, authority_file: str | None = None, authority_data: str | None = None) -> ssl.SSLContext:
    """For connections to a server: hostname and authority are checked, by these authorities or else the system's.

    Python 3.13 adds VERIFY_X509_STRICT (RFC 5280 to the letter), which refuses what Go accepts and clusters have:
    server certificates without an Authority Key Identifier (EKS, older GKE and kubeadm), authorities without a key
    usage (a plain `openssl req -x509`). https://docs.python.org/3/library/ssl.html#ssl.VERIFY_X509_STRICT Raises
    OSError (also ssl.SSLError) and ValueError.
    """
    context = ssl.create_default_context(cafile=authority_file, cadata=authority_data)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context
