// With which certificate does the node's server answer the API server?
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * Self-signed, made when the node starts. Node's crypto can sign but not issue, openssl is not on every machine, and the API server's own
 * files exist only where the control plane runs: so the few DER structures of a certificate are written here. The API server does not
 * verify it (it has no --kubelet-certificate-authority), TLS just has to be spoken.
 */
export function selfSigned(name: string, validDays = 365, now = new Date()): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const until = new Date(now.getTime() + validDays * 24 * 3_600_000);
  const body = sequence(
    context(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(name),
    sequence(time(now), time(until)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const certificate = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)));
  return { cert: pem('CERTIFICATE', certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
const context = (number: number, part: Buffer): Buffer => element(0xa0 + number, part);
const integer = (value: Buffer): Buffer => element(0x02, value);
const bitString = (bits: Buffer): Buffer => element(0x03, Buffer.from([0]), bits);
const objectId = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'));
const time = (at: Date): Buffer => element(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

// 1.2.840.10045.4.3.2 and 2.5.4.3
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = (name: string): Buffer => sequence(element(0x31, sequence(objectId('550403'), element(0x0c, Buffer.from(name)))));

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
