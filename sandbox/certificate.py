"""A certificate for 127.0.0.1, made without any library or tool: kubectl sends tokens over TLS only.

ECDSA on P-256, one self-signed certificate that is its own authority, in the kubeconfig. It guards a loopback port of
one user's sandbox; nothing else may rely on this arithmetic, which takes no care against timing.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

# P-256 (FIPS 186-4, D.1.2.3)
_P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_A = _P - 3
_G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
Point = tuple[int, int] | None

_PUBLIC_KEY = "1.2.840.10045.2.1"
_CURVE = "1.2.840.10045.3.1.7"
_SIGNATURE = "1.2.840.10045.4.3.2"
_COMMON_NAME = "2.5.4.3"
_ADDRESSES = (b"\x7f\x00\x00\x01", b"\x00" * 15 + b"\x01")
_NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


def _add(first: Point, second: Point) -> Point:
    if first is None:
        return second
    if second is None:
        return first
    if first[0] == second[0]:
        if (first[1] + second[1]) % _P == 0:
            return None
        slope = (3 * first[0] * first[0] + _A) * pow(2 * first[1], -1, _P) % _P
    else:
        slope = (second[1] - first[1]) * pow(second[0] - first[0], -1, _P) % _P
    x = (slope * slope - first[0] - second[0]) % _P
    return x, (slope * (first[0] - x) - first[1]) % _P


def _multiply(factor: int, point: Point) -> tuple[int, int]:
    result: Point = None
    while factor:
        if factor & 1:
            result = _add(result, point)
        point = _add(point, point)
        factor >>= 1
    assert result is not None
    return result


def _sign(key: int, message: bytes) -> bytes:
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    while True:
        nonce = secrets.randbelow(_N - 1) + 1
        r = _multiply(nonce, _G)[0] % _N
        s = pow(nonce, -1, _N) * (digest + r * key) % _N
        if r and s:
            return _sequence(_integer(r), _integer(s))


# DER


def _tagged(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    if len(body) < 128:
        return bytes((tag, len(body))) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(size))) + size + body


def _sequence(*parts: bytes) -> bytes:
    return _tagged(0x30, *parts)


def _integer(value: int) -> bytes:
    return _tagged(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def _bits(data: bytes) -> bytes:
    return _tagged(0x03, b"\x00", data)


def _oid(text: str) -> bytes:
    first, second, *rest = (int(part) for part in text.split("."))
    body = bytes((first * 40 + second,))
    for number in rest:
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(0x80 | (number & 0x7F))
        body += bytes(reversed(digits))
    return _tagged(0x06, body)


def _extension(oid: str, value: bytes, critical: bool = False) -> bytes:
    flag = _tagged(0x01, b"\xff") if critical else b""
    return _sequence(_oid(oid), flag, _tagged(0x04, value))


def _time(moment: datetime) -> bytes:
    return _tagged(0x17, moment.strftime("%y%m%d%H%M%SZ").encode())


def _extensions(identifier: bytes) -> bytes:
    names = [_tagged(0x82, name.encode()) for name in _NAMES] + [_tagged(0x87, address) for address in _ADDRESSES]
    return _tagged(
        0xA3,
        _sequence(
            _extension("2.5.29.19", _sequence(_tagged(0x01, b"\xff")), critical=True),
            _extension("2.5.29.15", _tagged(0x03, b"\x02\x84"), critical=True),
            _extension("2.5.29.37", _sequence(_oid("1.3.6.1.5.5.7.3.1"))),
            _extension("2.5.29.14", _tagged(0x04, identifier)),
            _extension("2.5.29.35", _sequence(_tagged(0x80, identifier))),
            _extension("2.5.29.17", _sequence(*names)),
        ),
    )


def _pem(title: str, data: bytes) -> str:
    text = base64.encodebytes(data).decode().replace("\n", "")
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join((f"-----BEGIN {title}-----", *lines, f"-----END {title}-----", ""))


def make() -> tuple[str, str]:
    """(certificate, key) as PEM; valid for ten years."""
    key = secrets.randbelow(_N - 1) + 1
    x, y = _multiply(key, _G)
    public = b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")
    algorithm = _sequence(_oid(_SIGNATURE))
    name = _sequence(_tagged(0x31, _sequence(_oid(_COMMON_NAME), _tagged(0x0C, b"operator-console sandbox"))))
    begin = datetime.now(UTC) - timedelta(hours=1)
    body = _sequence(
        _tagged(0xA0, _integer(2)),
        _integer(secrets.randbits(120) | 1),
        algorithm,
        name,
        _sequence(_time(begin), _time(begin + timedelta(days=3650))),
        name,
        _sequence(_sequence(_oid(_PUBLIC_KEY), _oid(_CURVE)), _bits(public)),
        _extensions(hashlib.sha256(public).digest()[:20]),
    )
    certificate = _sequence(body, algorithm, _bits(_sign(key, body)))
    private = _sequence(
        _integer(1),
        _tagged(0x04, key.to_bytes(32, "big")),
        _tagged(0xA0, _oid(_CURVE)),
        _tagged(0xA1, _bits(public)),
    )
    return _pem("CERTIFICATE", certificate), _pem("EC PRIVATE KEY", private)


def context(folder: Path) -> tuple[ssl.SSLContext, str]:
    """(server context, certificate as PEM); made once for each data folder."""
    certificate, key = folder / "tls.crt", folder / "tls.key"
    if not certificate.exists() or not key.exists():
        texts = make()
        for path, text in zip((certificate, key), texts, strict=True):
            path.touch(mode=0o600)
            path.write_text(text, encoding="ascii")
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    made.set_alpn_protocols(["http/1.1"])
    return made, certificate.read_text(encoding="ascii")
