// SSH keys of one attempt of a job, in the form in which OpenSSH writes them.
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const TYPE = 'ssh-ed25519';
const LINE = 70;

/** A key for the host, which all ranks share, and one for the user, by file name. */
export function sshKeys(): Readonly<Record<string, string>> {
  const [host, user] = [sshKey(), sshKey()];
  return {
    host_key: host.privateKey,
    'host_key.pub': `${host.publicKey}\n`,
    user_key: user.privateKey,
    'user_key.pub': `${user.publicKey}\n`,
  };
}

type SshKey = { readonly privateKey: string; readonly publicKey: string };

function sshKey(): SshKey {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return formatted(Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url'), randomBytes(4));
}

/**
 * `check` is four random bytes. The file has them twice: a program that reads two equal copies
 * knows that the key is not encrypted.
 */
export function formatted(seed: Buffer, point: Buffer, check: Buffer): SshKey {
  const shown = Buffer.concat([field(TYPE), field(point)]);
  const secret = Buffer.concat([
    ...[check, check, shown],
    field(Buffer.concat([seed, point])),
    field(''),
  ]);
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map((it) => field(it)),
    number(1),
    field(shown),
    field(padded(secret)),
  ]);
  const lines = file.toString('base64').match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
  const [begin, end] = ['BEGIN', 'END'].map((it) => `-----${it} OPENSSH PRIVATE KEY-----`);
  return {
    privateKey: `${[begin, ...lines, end].join('\n')}\n`,
    publicKey: `${TYPE} ${shown.toString('base64')}`,
  };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

/** To whole blocks of eight bytes, by 1, 2, 3 ... */
function padded(secret: Buffer): Buffer {
  const missing = (8 - (secret.length % 8)) % 8;
  return Buffer.concat([secret, Buffer.from(Array.from({ length: missing }, (_, at) => at + 1))]);
}
