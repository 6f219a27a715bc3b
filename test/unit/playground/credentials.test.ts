// The files by which users and service accounts are known.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import {
  admin,
  writeKubeconfig,
  writePair,
  writeServiceAccountKey,
  writeTokens,
} from '../../../src/playground/control-plane/credentials.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'credentials-test-'));
  file = path.join(folder, 'file');
});

afterEach(() => rmSync(folder, { recursive: true }));

it('each user gets a token of its own, in a file that only its owner reads', () => {
  const tokens = writeTokens(file, [
    admin,
    { name: 'alice, the "first"', groups: ['dev', 'ops'] },
    { name: 'bob' },
  ]);
  expect(new Set(tokens.values()).size).toBe(3);
  expect(readFileSync(file, 'utf8').split('\n')).toEqual([
    `${tokens.get('admin')},"admin","admin","system:masters"`,
    `${tokens.get('alice, the "first"')},"alice, the ""first""","alice, the ""first""","dev,ops"`,
    `${tokens.get('bob')},"bob","bob",""`,
    '',
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a certificate for the loopback has a key that only its owner reads', () => {
  writePair({ certificate: `${file}.crt`, key: `${file}.key` }, 'etcd');
  const certificate = new X509Certificate(readFileSync(`${file}.crt`));
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkIP('127.0.0.2')).toBeUndefined();
  expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(`${file}.key`)))).toBe(true);
  expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600);
});

it('the key of the service accounts is kept when the folder is used again', () => {
  writeServiceAccountKey(file);
  const key = readFileSync(file, 'utf8');
  writeServiceAccountKey(file);
  expect(readFileSync(file, 'utf8')).toBe(key);
  expect(createPrivateKey(key).asymmetricKeyType).toBe('ec');
});

it('a kubeconfig is written for one cluster and one user', () => {
  writeKubeconfig(file, 'https://127.0.0.1:1', 'CA', {
    name: 'system:serviceaccount:a:b',
    token: 'secret',
  });
  expect(load(readFileSync(file, 'utf8'))).toMatchObject({
    clusters: [
      { cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'Q0E=' } },
    ],
    users: [{ name: 'system:serviceaccount:a:b', user: { token: 'secret' } }],
    contexts: [{ context: { user: 'system:serviceaccount:a:b' } }],
  });
});
