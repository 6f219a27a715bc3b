// Is the certificate of a Flux job such as `flux keygen` writes it?
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { curveKeys, z85 } from '../../../../src/runtime/keys/curve.ts';

const DIGITS =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';

/** By another way than the one that writes it. */
function bytesOf(text: string): Buffer {
  const numbers = (text.match(/.{5}/g) ?? []).map((five) =>
    [...five].reduce((sum, digit) => sum * 85 + DIGITS.indexOf(digit), 0),
  );
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * at);
  return bytes;
}

/** The 32 bytes of a key follow a head of twelve or sixteen bytes. */
const pkcs8 = (secret: Buffer): Buffer =>
  Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), secret]);

it('the example of ZeroMQ is written as its RFC writes it', () =>
  expect(z85(Buffer.from('864fd26fb559f75b', 'hex'))).toBe('HelloWorld'));

it('the file has the form of flux keygen, and the public key belongs to the secret one', () => {
  const { 'curve.cert': file = '' } = curveKeys();
  const pattern =
    /^# +ZeroMQ CURVE \*\*Secret\*\* Certificate\n# +DO NOT DISTRIBUTE\n\nmetadata\n {4}name = "k8slab"\ncurve\n {4}public-key = "(.{40})"\n {4}secret-key = "(.{40})"\n$/;
  const [, shown = '', secret = ''] = pattern.exec(file) ?? [];
  const privateKey = createPrivateKey({
    key: pkcs8(bytesOf(secret)),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  expect(bytesOf(shown)).toEqual(spki.subarray(-32));
});

it('the keys of a file that flux keygen has written belong together for this test, too', () => {
  const [shown, secret] = [
    'Jk1q(6FfNRc#b**2w/9nEpzLvqGwDn0NPbD^ffWU',
    '-PG1qr9QN$@}c:mBF@FhB0qN$FoK*6/g+xrc!]LF',
  ].map(bytesOf) as [Buffer, Buffer];
  const privateKey = createPrivateKey({ key: pkcs8(secret), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  expect(spki.subarray(-32)).toEqual(shown);
});

it('each attempt has another certificate', () => {
  expect(new Set([curveKeys(), curveKeys()].map((keys) => keys['curve.cert'])).size).toBe(2);
});
