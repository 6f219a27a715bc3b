// Are the keys of an MPI job such as OpenSSH writes them?
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { formatted, sshKeys } from '../../../../src/runtime/keys/ssh.ts';

/** Of a key that ssh-keygen has written, without a comment. */
const [seed, point, check] = [
  '5c6f3e8caeb4c76af8d5abce56428a0e84be06b1ac547b09a8f809d6fd92f93c',
  '78f4b92a44adf1d81e9e55a0716370a5ab39c8087c4ce4b8caba5942f9ddd229',
  '6b074ce3',
].map((text) => Buffer.from(text, 'hex')) as [Buffer, Buffer, Buffer];

/** Reads the fields of an OpenSSH key, each of which begins with its length. */
function fieldsOf(bytes: Buffer, count: number): readonly Buffer[] {
  const fields: Buffer[] = [];
  for (let at = 0; fields.length < count; ) {
    const length = bytes.readUInt32BE(at);
    fields.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

const bytesOf = (text: string): Buffer =>
  Buffer.from(text.split('\n').slice(1, -2).join(''), 'base64');

it('a key is, byte by byte, the one that ssh-keygen has written', () => {
  const { privateKey, publicKey } = formatted(seed, point, check);
  expect(createHash('sha256').update(privateKey).digest('hex')).toBe(
    '25ac83709d8e176acc576a5129d80885e69658ad402aa2e8d2e58ee110ee0218',
  );
  expect(publicKey).toBe(
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHj0uSpErfHYHp5VoHFjcKWrOcgIfEzkuMq6WUL53dIp',
  );
});

it('what the private key signs, the public key verifies', () => {
  const { user_key: text = '', 'user_key.pub': shown = '' } = sshKeys();
  const rest = bytesOf(text).subarray('openssh-key-v1\0'.length);
  const head = fieldsOf(rest, 3);
  const afterHead = rest.subarray(head.reduce((sum, it) => sum + 4 + it.length, 0) + 4);
  const [blob = Buffer.of(), secret = Buffer.of()] = fieldsOf(afterHead, 2);
  expect(shown).toBe(`ssh-ed25519 ${blob.toString('base64')}\n`);
  const [, own = Buffer.of()] = fieldsOf(blob, 2);
  const [, , pair = Buffer.of()] = fieldsOf(secret.subarray(8), 3);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: own.toString('base64url') };
  const privateKey = createPrivateKey({
    key: { ...jwk, d: pair.subarray(0, 32).toString('base64url') },
    format: 'jwk',
  });
  const signed = sign(null, Buffer.from('a message'), privateKey);
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify(null, Buffer.from('a message'), publicKey, signed)).toBe(true);
});

it('host and user have different keys, and each attempt has others', () => {
  const all = [sshKeys(), sshKeys()].flatMap((keys) => Object.values(keys));
  expect(new Set(all).size).toBe(8);
});
