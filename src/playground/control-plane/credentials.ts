// Users, keys, certificates and kubeconfigs of a control plane.
import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dump } from 'js-yaml';
import { orUndefined } from '../../api/text.ts';
import { selfSigned } from '../node/certificate.ts';
import type { ControlPlaneFiles, Pair } from './component-arguments.ts';

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface ClientIdentity {
  readonly name: string;
  readonly token: string;
}

export const admin: User = { name: 'admin', groups: ['system:masters'] };
/** A user of its own, so that an audit log tells the controllers from a person. */
export const controllerManager: User = {
  name: 'system:kube-controller-manager',
  groups: ['system:masters'],
};

/** What the components find when they start; returns the tokens of the users. */
export function writeCredentials(files: ControlPlaneFiles, users: readonly User[]) {
  for (const folder of [files.etcdData, files.certificates])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePair(files.etcd, 'etcd');
  writePair(files.apiServerClient, 'apiserver-client');
  writeServiceAccountKey(files.serviceAccountKey);
  return writeTokens(files.tokens, users);
}

/** Writes the file for --token-auth-file; returns the tokens, new at every start, by user. */
export function writeTokens(file: string, users: readonly User[]): ReadonlyMap<string, string> {
  const tokens = new Map(users.map(({ name }) => [name, randomBytes(16).toString('hex')]));
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = users.map(({ name, groups = [] }) =>
    [tokens.get(name), quoted(name), quoted(name), quoted(groups.join(','))].join(','),
  );
  writeSecret(file, `${lines.join('\n')}\n`);
  return tokens;
}

/** Signs service account tokens; kept when the folder is used again, so that they stay valid. */
export function writeServiceAccountKey(file: string): void {
  if (existsSync(file)) return;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeSecret(file, privateKey.export({ type: 'sec1', format: 'pem' }).toString());
}

export function writePair({ certificate, key }: Pair, name: string): void {
  const made = selfSigned(name, ['127.0.0.1']);
  writeFileSync(certificate, made.cert);
  writeSecret(key, made.key);
}

/**
 * The authority that signed the API server's certificate: it follows that one in the same file. The
 * API server writes the key last, so both files are complete once the key can be read.
 */
export const authorityOf = ({ certificate, key }: Pair): string | undefined =>
  orUndefined(() => {
    createPrivateKey(readFileSync(key));
    const chain = readFileSync(certificate, 'utf8').split(/(?<=-END CERTIFICATE-+\n)/);
    return chain.find((each) => new X509Certificate(each).ca);
  });

export function writeKubeconfig(
  file: string,
  url: string,
  authority: string,
  { name, token }: ClientIdentity,
): void {
  const data = Buffer.from(authority).toString('base64');
  const cluster = { server: url, 'certificate-authority-data': data };
  const context = { cluster: 'playground', user: name, namespace: 'default' };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'playground', cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name: 'playground', context }],
    'current-context': 'playground',
  };
  writeSecret(file, dump(kubeconfig));
}

function writeSecret(file: string, content: string): void {
  writeFileSync(file, content, { mode: 0o600 });
}
