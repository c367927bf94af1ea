"""Certificates for one test run: made when they are needed, never kept."""

import datetime
import ipaddress
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = datetime.timedelta(days=1)


def name(common_name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


class Pair:
    """A certificate and its key, in two files."""

    def __init__(self, directory, stem, certificate, key, issuers=()):
        self.certificate = certificate
        self.key = key
        self.chain_path = pathlib.Path(directory) / f"{stem}.pem"
        self.key_path = pathlib.Path(directory) / f"{stem}.key"
        self.chain = b"".join(one.public_bytes(serialization.Encoding.PEM) for one in (certificate, *issuers))
        self.key_bytes = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        self.write()

    def write(self, onto=None):
        """Writes its files, or puts them in the place of another pair's."""
        target = onto or self
        for path, content in ((target.chain_path, self.chain), (target.key_path, self.key_bytes)):
            draft = path.with_suffix(".new")
            draft.write_bytes(content)
            draft.chmod(0o600)
            draft.rename(path)


class Authority:
    def __init__(self, directory, common_name="test authority"):
        self.directory = pathlib.Path(directory)
        self.key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.datetime.now(datetime.timezone.utc)
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(name(common_name))
            .issuer_name(name(common_name))
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 30 * DAY)
            .not_valid_after(now + 30 * DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=1), critical=True)
            .sign(self.key, hashes.SHA256())
        )
        self.path = self.directory / f"{common_name.replace(' ', '-')}.pem"
        self.pem = self.certificate.public_bytes(serialization.Encoding.PEM)
        self.path.write_bytes(self.pem)

    def issue(self, stem, dns=(), addresses=(), uris=(), days=(-1, 10), usage=None):
        """`days`: from when to when it is valid, counted from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.datetime.now(datetime.timezone.utc)
        names = [x509.DNSName(one) for one in dns]
        names += [x509.IPAddress(ipaddress.ip_address(one)) for one in addresses]
        names += [x509.UniformResourceIdentifier(one) for one in uris]
        builder = (
            x509.CertificateBuilder()
            .subject_name(name(stem))
            .issuer_name(self.certificate.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + days[0] * DAY)
            .not_valid_after(now + days[1] * DAY)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        if usage is not None:
            builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        return Pair(self.directory, stem, builder.sign(self.key, hashes.SHA256()), key)

    def issue_server(self, stem="server", **options):
        return self.issue(
            stem, dns=["localhost"], addresses=["127.0.0.1", "::1"], usage=ExtendedKeyUsageOID.SERVER_AUTH, **options
        )

    def issue_client(self, stem="client", **options):
        options = {"uris": ["energykit:client:7"], "dns": ["hub.example"], **options}
        return self.issue(stem, usage=ExtendedKeyUsageOID.CLIENT_AUTH, **options)
