// A local Kubernetes with operators and pools, and helpers for tests.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { namespaceOfLedger } from '../../../src/api/ledger.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import {
  type OperatorProcess,
  startOperatorProcess,
} from '../../../src/playground/operator-process.ts';
import {
  type Playground,
  type PlaygroundOptions,
  startNodesOn,
  startPlayground,
} from '../../../src/playground/playground.ts';
import { startGuard } from '../../../src/playground/processes/guard.ts';
import { KubeClient } from '../../../src/runtime/client/client.ts';
import { hasCode } from '../../../src/runtime/client/errors.ts';
import { loadKubeConfig } from '../../../src/runtime/client/load-config.ts';
import { eventually } from '../../support/processes.ts';
import { type AuditLog, auditLogFromNow, gather, isGathered } from './audit.ts';
import { create, makePool, type Pool, type TestCluster } from './pool.ts';
import type { Shape } from './shape.ts';
import { applyManifests } from './shared/manifests.ts';
import { PATIENCE_SECONDS, planesUrl, sharedPlane } from './shared/shared-plane.ts';

/** The pods of a finished test file need no grace period. */
const LAST_GRACE_SECONDS = 1;
const PATIENCE_MS = PATIENCE_SECONDS * 1_000;

/** Several files apply the samples; each starts after the others' are deleted. */
const SAMPLES = 'swarm';
/** The namespace of operators and their ledgers. */
const OPERATORS = 'swarm-operator';

export class Swarm implements TestCluster {
  readonly playground: Playground;
  readonly api: KubeClient;
  readonly #config: ReturnType<typeof loadKubeConfig>;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'swarm-test-'));
  readonly #operators: OperatorProcess[] = [];
  readonly #keepsAudit: boolean;
  /** On a shared control plane: the namespaces that existed before. */
  #foreign: ReadonlySet<string> | undefined;
  readonly #audit: AuditLog | undefined;

  private constructor(playground: Playground, keepsAudit: boolean) {
    this.playground = playground;
    this.#keepsAudit = keepsAudit;
    const { auditLog } = playground.plane;
    this.#audit = auditLog === undefined ? undefined : auditLogFromNow(auditLog);
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
   * Uses the shared control plane, if there is one. Any option for the control plane starts a
   * separate one: for tests that restart it, or change cluster-wide objects. `keepsAudit: false`
   * where a test removes permissions from a running operator or restarts the API server: the
   * comparison of permissions must ignore these refusals.
   */
  static async start({
    keepsAudit = true,
    ...options
  }: PlaygroundOptions & { readonly keepsAudit?: boolean } = {}): Promise<Swarm> {
    const node = { restartBackoffMs: 300, ...options.node };
    if (planesUrl !== undefined && options.controlPlane === undefined) {
      const plane = await sharedPlane(planesUrl);
      const playground = startNodesOn(plane, await startGuard(), { ...options, node });
      const swarm = new Swarm(await playground, keepsAudit);
      await swarm.#moveIn();
      return swarm;
    }
    const patient = { timeoutSeconds: PATIENCE_SECONDS, nodeMonitorGraceSeconds: PATIENCE_SECONDS };
    const controlPlane = {
      ...patient,
      ...options.controlPlane,
      ...(isGathered && { audit: true }),
    };
    const swarm = new Swarm(await startPlayground({ ...options, controlPlane, node }), keepsAudit);
    try {
      await applyManifests((...args) => swarm.kubectl(...args));
      return swarm;
    } catch (error) {
      await swarm.stop();
      throw error;
    }
  }

  async #moveIn(): Promise<void> {
    await eventually(
      'the samples are deleted',
      async () => !(await this.#namespaces()).includes(SAMPLES),
    );
    this.#foreign = new Set(await this.#namespaces());
  }

  /**
   * Deletes at once what could disturb the next operator or node, and the rest in the background.
   */
  async #moveOut(foreign: ReadonlySet<string>): Promise<void> {
    const ours = (await this.#namespaces()).filter((name) => !foreign.has(name));
    await Promise.all(ours.map((name) => this.api.delete(kinds.Namespace, { name })));
    await Promise.all(
      this.playground.nodes.map((node) => node.stop({ graceSeconds: LAST_GRACE_SECONDS })),
    );
    // The node object of a node that a test made vanish: the scheduler would still place pods on
    // it.
    const { items: nodes } = await this.api.list(kinds.Node, undefined);
    await Promise.all(nodes.map((node) => this.#remove(kinds.Node, node)));
    for (const kind of [
      kinds.SwarmGroup,
      kinds.SwarmPool,
      kinds.SwarmJob,
      kinds.SwarmQueue,
      kinds.Pod,
      kinds.Lease,
    ]) {
      const { items } = await this.api.list(kind, undefined);
      const left = items.filter(({ metadata: { namespace = '' } }) => namespace !== 'kube-system');
      await Promise.all(left.map((object) => this.#remove(kind, object)));
    }
    const { items } = await this.api.list(kinds.ConfigMap, OPERATORS);
    const ledgers = items.filter(({ metadata: { name } }) => namespaceOfLedger(name) !== undefined);
    await Promise.all(ledgers.map((ledger) => this.#remove(kinds.ConfigMap, ledger)));
  }

  async #remove(kind: Kind, { metadata: { namespace, name } }: KubeObject): Promise<void> {
    const ref = namespace === undefined ? { name } : { namespace, name };
    const ended = this.api.delete(kind, ref, {}, { gracePeriodSeconds: 0 });
    await ended.catch((error: unknown) => {
      if (!hasCode(error, 'NotFound')) throw error;
    });
  }

  async #namespaces(): Promise<readonly string[]> {
    const { items } = await this.api.list(kinds.Namespace, undefined);
    return items.map(({ metadata: { name } }) => name);
  }

  /** Of this test file alone. */
  get audit(): AuditLog {
    if (this.#audit === undefined) throw new Error('this control plane has no audit log');
    return this.#audit;
  }

  /**
   * Under its own service account, with the permissions and policies of deploy/: a missing one
   * fails tests.
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
    if (this.#keepsAudit) gather(path.basename(this.#folder), this.#audit);
    if (this.#foreign !== undefined) await this.#moveOut(this.#foreign);
    await this.#config.closeConnections();
    await this.playground.stop();
    rmSync(this.#folder, { recursive: true });
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.playground.kubectl(...args);
  }

  /** With `kubectl apply`, like a user. */
  apply(...objects: readonly object[]): Promise<string> {
    return this.kubectl(
      'apply',
      '-f',
      this.file({ apiVersion: 'v1', kind: 'List', items: objects }),
    );
  }

  /** Writes a manifest file; returns its name. */
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
