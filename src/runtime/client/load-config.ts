// Which kubeconfig is used? Where there is none, or a wrong one, the error says how to give one.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { errorText, oneLine } from '../../api/text.ts';
import { type ConnectionOptions, PooledKubeConfig } from './config.ts';

type KubeConfigSource = {
  /**
   * A kubeconfig file; without one: KUBECONFIG, ~/.kube/config, or the service account of the pod.
   */
  readonly file?: string | undefined;
  readonly context?: string | undefined;
};

/** Its message is for the user. */
export class KubeConfigError extends Error {
  override readonly name = 'KubeConfigError';
}

/** None is found: not where it was named, and not in the usual places. */
export class KubeConfigMissing extends KubeConfigError {}

/** The cluster of client-node when it has found no other. */
const FALLBACK_SERVER = 'http://localhost:8080';
const HOW = 'name one by --kubeconfig FILE or KUBECONFIG=FILE';

export function loadKubeConfig(
  source: KubeConfigSource = {},
  options: ConnectionOptions = {},
): PooledKubeConfig {
  const config = new PooledKubeConfig(options);
  const named = filesOf(source);
  for (const file of named) mustBeReadable(file);
  try {
    if (source.file === undefined) config.loadFromDefault();
    else config.loadFromFile(source.file);
  } catch (error) {
    const file = named.join(path.delimiter);
    throw new KubeConfigError(`cannot use the kubeconfig ${file}: ${oneLine(errorText(error))}`);
  }
  if (named.length === 0 && config.getCurrentCluster()?.server === FALLBACK_SERVER)
    throw new KubeConfigMissing(
      `no kubeconfig: KUBECONFIG is not set and ~/.kube/config does not exist; ${HOW}`,
    );
  if (source.context !== undefined) config.setCurrentContext(source.context);
  mustHaveCluster(config);
  return config;
}

/** `https://10.0.0.1:6443 (context "dev" of /home/me/.kube/config)` */
export function serverText(config: PooledKubeConfig, source: KubeConfigSource): string {
  const usual = path.join(homedir(), '.kube', 'config');
  const files =
    filesOf(source).join(path.delimiter) ||
    (existsSync(usual) ? usual : 'the service account of this pod');
  const context = JSON.stringify(config.getCurrentContext());
  return `${config.getCurrentCluster()?.server} (context ${context} of ${files})`;
}

/** Those that the user names; ~/.kube/config may be missing. */
function filesOf({ file }: KubeConfigSource): readonly string[] {
  if (file !== undefined) return [file];
  return (process.env['KUBECONFIG'] ?? '').split(path.delimiter).filter((name) => name !== '');
}

function mustBeReadable(file: string): void {
  if (!existsSync(file))
    throw new KubeConfigMissing(`the kubeconfig ${file} does not exist; ${HOW}`);
  try {
    readFileSync(file);
  } catch (error) {
    throw new KubeConfigError(`cannot read the kubeconfig ${file}: ${oneLine(errorText(error))}`);
  }
}

function mustHaveCluster(config: PooledKubeConfig): void {
  const name = config.getCurrentContext();
  const contexts = config.getContexts().map((context) => context.name);
  if (contexts.length === 0) throw new KubeConfigError('the kubeconfig has no context');
  if (config.getContextObject(name) === null) {
    const which = (name ?? '') === '' ? 'current context' : `context ${JSON.stringify(name)}`;
    throw new KubeConfigError(
      `the kubeconfig has no ${which}; its contexts are ${contexts.join(', ')}`,
    );
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new KubeConfigError(
      `the kubeconfig has no cluster for its context ${JSON.stringify(name)}`,
    );
  if (cluster.server.startsWith('http:') && cluster.skipTLSVerify !== true)
    throw new KubeConfigError(
      `the server in the kubeconfig is ${cluster.server}; allowed is https, or http with insecure-skip-tls-verify`,
    );
}
