// The certificate of one attempt of a Flux job, in the form in which `flux keygen` writes it.
import { generateKeyPairSync } from 'node:crypto';

const DIGITS =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';

/** One certificate for all ranks, by file name. */
export function curveKeys(): Readonly<Record<string, string>> {
  const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  const [secretKey, publicKey] = [d, x].map((key) => z85(Buffer.from(key, 'base64url')));
  const lines = [
    '#  ZeroMQ CURVE **Secret** Certificate',
    '#  DO NOT DISTRIBUTE',
    '',
    'metadata',
    '    name = "k8slab"',
    'curve',
    `    public-key = "${publicKey}"`,
    `    secret-key = "${secretKey}"`,
  ];
  return { 'curve.cert': `${lines.join('\n')}\n` };
}

/** Five digits for each four bytes, by ZeroMQ's RFC 32. */
export function z85(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const number = bytes.readUInt32BE(at);
    for (let power = 85 ** 4; power >= 1; power /= 85)
      text += DIGITS[Math.floor(number / power) % 85];
  }
  return text;
}
