// Which certificates do the playground's servers and its API server's client use?
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * Self-signed: a client trusts this very certificate, and there is no authority whose key could
 * issue another. Node's crypto can sign but not issue, and openssl is not on every machine: so the
 * few DER structures of a certificate are written here. `addresses`: the IPv4 addresses of a server
 * whose clients verify where they are.
 */
export function selfSigned(
  name: string,
  validDays = 365,
  now = new Date(),
  addresses: readonly string[] = [],
): Certificate {
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
    ...(addresses.length === 0 ? [] : [context(3, sequence(alternativeNames(addresses)))]),
  );
  const certificate = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)));
  return {
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

export type Certificate = { readonly cert: string; readonly key: string };

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
const context = (number: number, part: Buffer): Buffer => element(0xa0 + number, part);
const integer = (value: Buffer): Buffer => element(0x02, value);
const octets = (content: Buffer): Buffer => element(0x04, content);
const bitString = (bits: Buffer): Buffer => element(0x03, Buffer.from([0]), bits);
const objectId = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'));
const time = (at: Date): Buffer =>
  element(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

// 2.5.29.17
const alternativeNames = (addresses: readonly string[]): Buffer =>
  sequence(
    objectId('551d11'),
    octets(
      sequence(
        ...addresses.map((address) => element(0x87, Buffer.from(address.split('.').map(Number)))),
      ),
    ),
  );

// 1.2.840.10045.4.3.2 and 2.5.4.3
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = (name: string): Buffer =>
  sequence(element(0x31, sequence(objectId('550403'), element(0x0c, Buffer.from(name)))));

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
