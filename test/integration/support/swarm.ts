// A local Kubernetes, operators and pools on it, and short words for what the tests do with them.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Kind } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import {
  type OperatorProcess,
  startOperatorProcess,
} from '../../../src/playground/operator-process.ts';
import {
  type Playground,
  type PlaygroundOptions,
  startPlayground,
} from '../../../src/playground/playground.ts';
import { KubeClient } from '../../../src/runtime/client/client.ts';
import { loadKubeConfig } from '../../../src/runtime/client/config.ts';
import { definitionsServed } from '../../support/definitions.ts';
import { gather, isGathered } from './audit.ts';
import { create, type Ground, makePool, type Pool } from './pool.ts';
import type { Shape } from './shape.ts';

/** Who is slow to answer, or stands still for a while, fails no test: each has its own time. */
const PATIENCE_SECONDS = 600;
const PATIENCE_MS = PATIENCE_SECONDS * 1_000;

const repository = new URL('../../../', import.meta.url).pathname;

/** All that the operator's Deployment would find. */
const manifests = [
  'crds',
  ...['namespace', 'rbac', 'rights/pools', 'admission'].map((name) => `deploy/${name}.yaml`),
];

export class Swarm implements Ground {
  readonly playground: Playground;
  readonly api: KubeClient;
  readonly #config: ReturnType<typeof loadKubeConfig>;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'swarm-test-'));
  readonly #operators: OperatorProcess[] = [];
  readonly #keepsAudit: boolean;

  private constructor(playground: Playground, keepsAudit: boolean) {
    this.playground = playground;
    this.#keepsAudit = keepsAudit;
    this.#config = loadKubeConfig(
      { file: playground.plane.kubeconfig },
      { headersTimeoutMs: PATIENCE_MS, connectTimeoutMs: PATIENCE_MS },
    );
    this.api = new KubeClient(this.#config, {
      userAgent: 'swarm-test',
      requestTimeoutMs: PATIENCE_MS,
    });
  }

  /**
   * `keepsAudit: false` where rights are taken away from a running operator, or the API server is
   * restarted: what is refused then is no news.
   */
  static async start({
    keepsAudit = true,
    ...options
  }: PlaygroundOptions & { readonly keepsAudit?: boolean } = {}): Promise<Swarm> {
    const patient = { timeoutSeconds: PATIENCE_SECONDS, nodeMonitorGraceSeconds: PATIENCE_SECONDS };
    const controlPlane = {
      ...patient,
      ...options.controlPlane,
      ...(isGathered && { audit: true }),
    };
    const node = { restartBackoffMs: 300, ...options.node };
    const swarm = new Swarm(await startPlayground({ ...options, controlPlane, node }), keepsAudit);
    try {
      await swarm.kubectl('apply', ...manifests.flatMap((file) => ['-f', `${repository}${file}`]));
      await definitionsServed((...args) => swarm.kubectl(...args));
      return swarm;
    } catch (error) {
      await swarm.stop();
      throw error;
    }
  }

  /**
   * Under its own service account, with the rights and within the policies that deploy/ gives it:
   * one that is missing fails tests.
   */
  async operator(...args: readonly string[]): Promise<OperatorProcess> {
    const kubeconfig = await this.kubeconfigOf('swarm-operator', 'swarm-operator');
    const logFile = path.join(this.#folder, `operator-${this.#operators.length}.log`);
    const { guard } = this.playground;
    const all = ['--lease-namespace', 'swarm-operator', ...args];
    const operator = await startOperatorProcess({
      kubeconfig,
      logFile,
      guard,
      args: all,
      readySeconds: PATIENCE_SECONDS,
    });
    this.#operators.push(operator);
    return operator;
  }

  async kubeconfigOf(namespace: string, serviceAccount: string): Promise<string> {
    const token = (await this.kubectl('-n', namespace, 'create', 'token', serviceAccount)).trim();
    return this.playground.plane.kubeconfigFor({ name: `${namespace}.${serviceAccount}`, token });
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#operators.filter(({ hasEnded }) => !hasEnded).map((operator) => operator.end()),
    );
    await this.#config.closeConnections();
    if (this.#keepsAudit) gather(path.basename(this.#folder), this.playground.plane.auditLog);
    await this.playground.stop();
    rmSync(this.#folder, { recursive: true });
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.playground.kubectl(...args);
  }

  /** By `kubectl apply`, as a user would. */
  apply(...objects: readonly object[]): Promise<string> {
    return this.kubectl(
      'apply',
      '-f',
      this.file({ apiVersion: 'v1', kind: 'List', items: objects }),
    );
  }

  /** A manifest; its name. */
  file(object: object): string {
    const file = path.join(this.#folder, `manifest-${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify(object));
    return file;
  }

  logs(): string {
    return this.#operators.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
  }

  create(kind: Kind, namespace: string, name: string, rest: object): Promise<KubeObject> {
    return create(this.api, kind, namespace, name, rest);
  }

  pool(namespace: string, shape: Shape): Promise<Pool> {
    return makePool(this, namespace, shape);
  }
}
