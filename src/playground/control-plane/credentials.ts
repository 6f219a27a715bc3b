// Who may talk to the API server, and with which certificate does it answer?
import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dump } from 'js-yaml';
import { selfSigned } from '../node/certificate.ts';
import type { Pair } from './component-arguments.ts';

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface ClientIdentity {
  readonly name: string;
  readonly token: string;
}

export const admin: User = { name: 'admin', groups: ['system:masters'] };
/** Not the admin's: an audit log then tells what the controllers did from what a person did. */
export const controllerManager: User = {
  name: 'system:kube-controller-manager',
  groups: ['system:masters'],
};

/** Writes the file for --token-auth-file and returns each user's token. */
export function writeTokens(file: string, users: readonly User[]): ReadonlyMap<string, string> {
  const tokens = new Map(users.map(({ name }) => [name, randomBytes(16).toString('hex')]));
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = users.map(({ name, groups = [] }) =>
    [tokens.get(name), quoted(name), quoted(name), quoted(groups.join(','))].join(','),
  );
  writeSecret(file, `${lines.join('\n')}\n`);
  return tokens;
}

/**
 * The key that signs service account tokens. It stays when the folder is used again: so do the
 * tokens that were issued with it.
 */
export function writeServiceAccountKey(file: string): void {
  if (existsSync(file)) return;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeSecret(file, privateKey.export({ type: 'sec1', format: 'pem' }).toString());
}

/** New at every start, so that a token from an earlier playground is useless. */
export function writePair({ certificate, key }: Pair, name: string): void {
  const made = selfSigned(name, ['127.0.0.1']);
  writeFileSync(certificate, made.cert);
  writeSecret(key, made.key);
}

export interface ServingCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export function servingCertificateIn(folder: string): ServingCertificate {
  return {
    certificateFile: path.join(folder, 'apiserver.crt'),
    keyFile: path.join(folder, 'apiserver.key'),
  };
}

/**
 * The API server makes its certificate itself, when it starts: its own, followed by the one of the
 * authority that signed it, which clients are to trust. It writes the key last; so once that can be
 * read, both files are complete.
 */
export function authorityOf({ certificateFile, keyFile }: ServingCertificate): string | undefined {
  try {
    createPrivateKey(readFileSync(keyFile));
    const certificates =
      readFileSync(certificateFile, 'utf8').match(
        /-+BEGIN CERTIFICATE-+[^-]+-+END CERTIFICATE-+\n?/g,
      ) ?? [];
    return certificates.find((certificate) => new X509Certificate(certificate).ca);
  } catch {
    return undefined;
  }
}

export function writeKubeconfig(
  file: string,
  url: string,
  authority: string,
  { name, token }: ClientIdentity,
): void {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'playground',
        cluster: {
          server: url,
          'certificate-authority-data': Buffer.from(authority).toString('base64'),
        },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [
      { name: 'playground', context: { cluster: 'playground', user: name, namespace: 'default' } },
    ],
    'current-context': 'playground',
  };
  writeSecret(file, dump(kubeconfig));
}

function writeSecret(file: string, content: string): void {
  writeFileSync(file, content, { mode: 0o600 });
}
