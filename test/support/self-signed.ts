// A certificate for 127.0.0.1, made by openssl; it is its own CA.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

type SelfSigned = { readonly key: string; readonly cert: string };

/** Writes NAME.key and NAME.crt into the folder. */
export function selfSigned(folder: string, name: string): SelfSigned {
  const key = path.join(folder, `${name}.key`);
  const cert = path.join(folder, `${name}.crt`);
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const made = spawnSync('openssl', [
    ...['req', '-x509', ...curve, ...subject],
    ...['-keyout', key, '-out', cert],
  ]);
  if (made.status !== 0)
    throw new Error(`openssl: ${made.error?.message ?? made.stderr.toString()}`);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
