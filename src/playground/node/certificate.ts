// Self-signed certificates of the playground's servers and clients.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import forge from 'node-forge';

const VALID_DAYS = 365;

/**
 * A client trusts this very certificate: there is no authority whose key could issue another.
 * `addresses`: the IP addresses that clients verify.
 */
export function selfSigned(name: string, addresses: readonly string[] = []) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // The first byte keeps the number positive.
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}`;
  const { notBefore, notAfter } = certificate.validity;
  notAfter.setTime(notBefore.getTime() + VALID_DAYS * 24 * 3_600_000);
  const subject = [{ name: 'commonName', value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  if (addresses.length > 0) {
    const altNames = addresses.map((ip) => ({ type: 7, ip }));
    certificate.setExtensions([{ name: 'subjectAltName', altNames }]);
  }
  // Node signs in a millisecond what node-forge takes 100 for: it uses no other part of a key.
  const signer = {
    sign: () => sign('sha256', signedPart(certificate), privateKey).toString('binary'),
  };
  certificate.sign(signer as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: privateKey };
}

const signedPart = (certificate: forge.pki.Certificate): Buffer =>
  Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'binary');
