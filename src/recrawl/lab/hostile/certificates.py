"""Certificates of every kind, made anew each time the hostile web is started: one authority that the crawler is told to
trust, and others that it is not."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from OpenSSL import SSL

from recrawl.model.values import dataclass

BACKDROP = datetime(2020, 1, 1, tzinfo=UTC)
AGES = timedelta(days=36_500)
GIANT = 400  # certificates in one chain: some 250 KB
LONG = 8
OTHER = "other.example"


class Papers(StrEnum):
    """What a server shows of itself."""

    GOOD = "good"
    EXPIRED = "expired"
    NOT_YET = "not yet valid"
    OTHER_NAME = "for another name"
    SELF_SIGNED = "self-signed"
    STRANGER = "of an unknown authority"
    BY_A_LEAF = "signed by a certificate that may not sign"
    NO_MIDDLE = "without the one between"
    MIDDLE = "with the one between"
    ODD_ORDER = "with those between in another order, and others that do not belong there"
    LONG = "with eight between"
    GIANT = "with hundreds that do not belong there"


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate with its key; `chain` goes out behind it."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...] = ()

    def put_into(self, context: SSL.Context) -> None:
        context.use_privatekey(self.key)
        context.use_certificate(self.certificate)
        for one in self.chain:
            context.add_extra_chain_cert(one)


class Notary:
    """Makes them. `trusted` is what the crawler is to trust, as PEM."""

    def __init__(self) -> None:
        self._root = trustme.CA()
        self.trusted: bytes = self._root.cert_pem.bytes()

    def pair(self, papers: Papers, name: str) -> Pair:
        return MADE[papers](self._root, name)


def _issued(
    authority: trustme.CA, name: str, from_at: datetime | None = None, until_at: datetime | None = None
) -> Pair:
    leaf = authority.issue_cert(name, not_before=from_at, not_after=until_at)
    certificate, *chain = (x509.load_pem_x509_certificate(one.bytes()) for one in leaf.cert_chain_pems)
    key = serialization.load_pem_private_key(leaf.private_key_pem.bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return Pair(key, certificate, tuple(chain))


def _expired(root: trustme.CA, name: str) -> Pair:
    return _issued(root, name, BACKDROP, BACKDROP + timedelta(days=90))


def _not_yet(root: trustme.CA, name: str) -> Pair:
    return _issued(root, name, BACKDROP + AGES, BACKDROP + AGES + timedelta(days=90))


def _self_signed(root: trustme.CA, name: str) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    return Pair(key, _signed(name, key, name, key))


def _by_a_leaf(root: trustme.CA, name: str) -> Pair:
    """Somebody with an honest certificate of his own signs one for us."""
    signer, key = _issued(root, OTHER), ec.generate_private_key(ec.SECP256R1())
    return Pair(key, _signed(name, key, signer.certificate.subject, signer.key), (signer.certificate,))


def _no_middle(root: trustme.CA, name: str) -> Pair:
    pair = _issued(root.create_child_ca(), name)
    return Pair(pair.key, pair.certificate)


def _odd_order(root: trustme.CA, name: str) -> Pair:
    """Legal since TLS 1.3 (RFC 8446, 4.4.2), and met before: those behind the first may stand as they like."""
    pair = _issued(root.create_child_ca().create_child_ca().create_child_ca(), name)
    return Pair(pair.key, pair.certificate, (_issued(trustme.CA(), OTHER).certificate, *reversed(pair.chain)))


def _long(root: trustme.CA, name: str) -> Pair:
    authority = root
    for _ in range(LONG):
        authority = authority.create_child_ca()
    return _issued(authority, name)


def _giant(root: trustme.CA, name: str) -> Pair:
    pair = _issued(root, name)
    return Pair(pair.key, pair.certificate, (_issued(root, OTHER).certificate,) * GIANT)


MADE: Mapping[Papers, Callable[[trustme.CA, str], Pair]] = {
    Papers.GOOD: _issued,
    Papers.EXPIRED: _expired,
    Papers.NOT_YET: _not_yet,
    Papers.OTHER_NAME: lambda root, name: _issued(root, OTHER),
    Papers.SELF_SIGNED: _self_signed,
    Papers.STRANGER: lambda root, name: _issued(trustme.CA(), name),
    Papers.BY_A_LEAF: _by_a_leaf,
    Papers.NO_MIDDLE: _no_middle,
    Papers.MIDDLE: lambda root, name: _issued(root.create_child_ca(), name),
    Papers.ODD_ORDER: _odd_order,
    Papers.LONG: _long,
    Papers.GIANT: _giant,
}


def _signed(
    name: str, key: ec.EllipticCurvePrivateKey, signer: x509.Name | str, signing: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    subject = _named(name)
    made = x509.CertificateBuilder(
        issuer_name=_named(signer) if isinstance(signer, str) else signer,
        subject_name=subject,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=BACKDROP,
        not_valid_after=BACKDROP + AGES,
    )
    return made.add_extension(_alternative(name), critical=False).sign(signing, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def _alternative(name: str) -> x509.SubjectAlternativeName:
    try:
        return x509.SubjectAlternativeName([x509.IPAddress(ip_address(name))])
    except ValueError:
        return x509.SubjectAlternativeName([x509.DNSName(name)])
