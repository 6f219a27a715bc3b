// A local Kubernetes with the operator and a pool on it, and short words for what the tests do with them.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { request } from 'undici';
import { ASSIGNED_ANNOTATION, readAssigned, readAssignment, type Slice } from '../../../src/api/assignment.ts';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { readReport } from '../../../src/api/report.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../../../src/api/validate.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { loadKubeConfig } from '../../../src/kube/pool.ts';
import { type OperatorProcess, startOperatorProcess } from '../../../src/playground/operator-process.ts';
import { type Playground, type PlaygroundOptions, startPlayground } from '../../../src/playground/playground.ts';
import { definitionsServed } from '../../support/definitions.ts';
import { eventually } from '../../support/processes.ts';
import { gather, isGathered } from './audit.ts';

/** Who is slow to answer, or stands still for a while, fails no test: each has its own time. */
const PATIENCE_SECONDS = 600;
const PATIENCE_MS = PATIENCE_SECONDS * 1_000;

const repository = new URL('../../../', import.meta.url).pathname;

/** All that the operator's Deployment would find. */
const manifests = ['crds', ...['namespace', 'rbac', 'rights/pools', 'admission'].map((name) => `deploy/${name}.yaml`)];

export type Shape = {
  /** StatefulSet, unless said otherwise. */
  readonly kind?: 'StatefulSet' | 'Deployment';
  readonly streams: readonly string[];
  readonly workers: number;
  readonly spec?: object;
  /** Laid over the StatefulSet's spec. */
  readonly set?: object;
  /** Laid over the worker's container. */
  readonly worker?: object;
  /** In place of the ConfigMap's volume. */
  readonly volume?: object;
  readonly volumes?: readonly object[];
};

/** Where a pool can be tried: a local Kubernetes, or a real one. */
export type Ground = {
  readonly api: KubeClient;
  kubectl(...args: readonly string[]): Promise<string>;
  /** What operators logged so far. */
  logs(): string;
};

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
    this.#config = loadKubeConfig({ file: playground.plane.kubeconfig }, { headersTimeoutMs: PATIENCE_MS, connectTimeoutMs: PATIENCE_MS });
    this.api = new KubeClient(this.#config, { userAgent: 'swarm-test', requestTimeoutMs: PATIENCE_MS });
  }

  /** `keepsAudit: false` where rights are taken away from a running operator, or the API server is restarted: what is refused then is no news. */
  static async start({ keepsAudit = true, ...options }: PlaygroundOptions & { readonly keepsAudit?: boolean } = {}): Promise<Swarm> {
    const patient = { timeoutSeconds: PATIENCE_SECONDS, nodeMonitorGraceSeconds: PATIENCE_SECONDS };
    const controlPlane = { ...patient, ...options.controlPlane, ...(isGathered && { audit: true }) };
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

  /** Under its own service account, with the rights and within the policies that deploy/ gives it: one that is missing fails tests. */
  async operator(...args: readonly string[]): Promise<OperatorProcess> {
    const kubeconfig = await this.kubeconfigOf('swarm-operator', 'swarm-operator');
    const logFile = path.join(this.#folder, `operator-${this.#operators.length}.log`);
    const { guard } = this.playground;
    const all = ['--lease-namespace', 'swarm-operator', ...args];
    const operator = await startOperatorProcess({ kubeconfig, logFile, guard, args: all, readySeconds: PATIENCE_SECONDS });
    this.#operators.push(operator);
    return operator;
  }

  async kubeconfigOf(namespace: string, serviceAccount: string): Promise<string> {
    const token = (await this.kubectl('-n', namespace, 'create', 'token', serviceAccount)).trim();
    return this.playground.plane.kubeconfigFor({ name: `${namespace}.${serviceAccount}`, token });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#operators.filter(({ hasEnded }) => !hasEnded).map((operator) => operator.end()));
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
    return this.kubectl('apply', '-f', this.file({ apiVersion: 'v1', kind: 'List', items: objects }));
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

/** A namespace of its own with a target `worker` and a pool `tv` on it. */
export async function makePool(ground: Ground, namespace: string, shape: Shape): Promise<Pool> {
  await ground.api.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return makePoolIn(ground, namespace, shape);
}

/** The same in a namespace that is there. */
export async function makePoolIn(ground: Ground, namespace: string, shape: Shape): Promise<Pool> {
  await create(ground.api, kinds[shape.kind ?? 'StatefulSet'], namespace, 'worker', workload(shape));
  await create(ground.api, kinds.SwarmPool, namespace, 'tv', { spec: { ...poolSpec(shape), ...shape.spec } });
  return new Pool(ground, namespace);
}

async function create(api: KubeClient, kind: Kind, namespace: string, name: string, rest: object): Promise<KubeObject> {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const metadata = { name, namespace, ...(dig(rest, 'metadata') as object | undefined) };
  return api.create(kind, { apiVersion, kind: kind.kind, ...rest, metadata });
}

const poolSpec = ({ streams, kind }: Shape): object => ({
  workers: { selector: { matchLabels: { app: 'worker' } }, ...(kind !== undefined && { kind }) },
  streams: streams.map((name) => ({ name })),
});

const field = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });

/** Workers for handoff Exclusive: they see the annotation that vouches for their slice. */
export function fenced(...command: readonly string[]): Pick<Shape, 'worker' | 'volumes'> {
  const items = [{ path: 'assigned', fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" } }];
  return {
    worker: {
      // What is slow to end is not killed: a test may hold it for as long as it looks.
      args: ['--assigned-file', '/etc/podinfo/assigned', '--stop-grace', '60s', '--', ...command],
      volumeMounts: [
        { name: 'assignments', mountPath: '/app/config' },
        { name: 'podinfo', mountPath: '/etc/podinfo' },
      ],
    },
    volumes: [{ name: 'podinfo', downwardAPI: { items } }],
  };
}

const mountOf = (name: string): object => ({ configMap: { name, optional: true } });

export function workload({ kind, workers, set = {}, worker = {}, volume = mountOf('tv-assignments'), volumes = [] }: Shape): {
  readonly metadata: object;
  readonly spec: object;
} {
  return {
    metadata: { labels: { app: 'worker' } },
    spec: {
      replicas: workers,
      ...(kind !== 'Deployment' && { podManagementPolicy: 'Parallel' }),
      selector: { matchLabels: { app: 'worker' } },
      template: {
        metadata: { labels: { app: 'worker' } },
        spec: {
          terminationGracePeriodSeconds: 5,
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'worker',
              image: 'swarm-worker:test',
              env: [field('POD_NAME', 'metadata.name'), field('POD_UID', 'metadata.uid'), field('POD_IP', 'status.podIP')],
              // One that is slow is not one that failed.
              readinessProbe: { httpGet: { path: '/internal/health', port: 9090 }, periodSeconds: 1, timeoutSeconds: 30 },
              volumeMounts: [{ name: 'assignments', mountPath: '/app/config' }],
              ...worker,
            },
          ],
          volumes: [{ name: 'assignments', ...volume }, ...volumes],
        },
      },
      ...set,
    },
  };
}

export class Pool {
  readonly #swarm: Ground;
  readonly namespace: string;

  constructor(swarm: Ground, namespace: string) {
    this.#swarm = swarm;
    this.namespace = namespace;
  }

  async status(): Promise<SwarmPoolStatus | undefined> {
    return parseSwarmPool(await this.#swarm.api.get(kinds.SwarmPool, { namespace: this.namespace, name: 'tv' })).status;
  }

  async condition(type: string): Promise<{ status: string; reason: string; message: string } | undefined> {
    return (await this.status())?.conditions?.find((condition) => condition.type === type);
  }

  /** Waits for a status that is as wanted, and answers it. */
  async until(what: string, test: (status: SwarmPoolStatus) => boolean | Promise<boolean>, seconds = 60): Promise<SwarmPoolStatus> {
    let last: SwarmPoolStatus | undefined;
    const look = async (): Promise<boolean> => {
      last = await this.status();
      return last !== undefined && (await test(last));
    };
    await eventually(`${this.namespace}/tv ${what}`, look, seconds).catch((error: Error) => {
      throw new Error(`${error.message}; its status: ${JSON.stringify(last)}\n${this.#swarm.logs().slice(-3000)}`);
    });
    return last ?? {};
  }

  /** Converged with this many workers, and the workers' own word for it that each stream runs exactly once. */
  async converged(streams: readonly string[], workers: number, seconds?: number): Promise<SwarmPoolStatus> {
    const wanted = [...streams].sort().join();
    // A status of an earlier version holds for a moment: it says nothing of what is published now.
    const isThere = async (of: number | undefined): Promise<boolean> => {
      const { version, slices } = await this.published();
      return version === of && slices.size === workers && (await this.pods()).length === workers;
    };
    const isRight = async (status: SwarmPoolStatus): Promise<boolean> =>
      status.replicas === workers &&
      status.convergedReplicas === workers &&
      status.readyReplicas === workers &&
      (await isThere(status.version)) &&
      status.streams?.assigned === streams.length &&
      wanted ===
        (await this.running())
          .flatMap(({ jobs }) => jobs)
          .sort()
          .join();
    return this.until(`converges with ${workers} workers on ${streams.length} streams`, isRight, seconds);
  }

  async pods(): Promise<readonly KubeObject[]> {
    return (await this.#swarm.api.list(kinds.Pod, this.namespace)).items;
  }

  /** What each worker itself says it runs; one that does not answer runs nothing. */
  async running(): Promise<readonly { name: string; version: number; jobs: readonly string[] }[]> {
    const pods = await this.pods();
    return Promise.all(pods.map(async (pod) => ({ name: pod.metadata.name, ...(await reportOf(asString(dig(pod, 'status', 'podIP')))) })));
  }

  async published(): Promise<{ version: number; slices: ReadonlyMap<string, Slice>; object: KubeObject }> {
    const object = await this.#swarm.api.get(kinds.ConfigMap, { namespace: this.namespace, name: 'tv-assignments' });
    const read = readAssignment(asString(dig(object, 'data', 'config.yml')) ?? '');
    if (!read.ok) throw new Error(read.problem);
    return { version: read.assignment.version, slices: read.assignment.workloads, object };
  }

  /** How often each worker was told that has its part of this version. */
  async told(version: number | undefined): Promise<readonly number[]> {
    const all = (await this.pods()).map(({ metadata }) => readAssigned(metadata.annotations?.[ASSIGNED_ANNOTATION]));
    return all.flatMap((it) => (it !== undefined && it.version === version ? [it.attempt] : []));
  }

  scale(replicas: number): Promise<string> {
    return this.#swarm.kubectl('-n', this.namespace, 'scale', 'statefulset/worker', `--replicas=${replicas}`);
  }

  async edit(spec: object): Promise<void> {
    await this.#swarm.api.patch(kinds.SwarmPool, { namespace: this.namespace, name: 'tv' }, { type: 'merge', body: { spec } });
  }

  streams(names: readonly string[]): Promise<void> {
    return this.edit({ streams: names.map((name) => ({ name })) });
  }

  async events(): Promise<readonly { reason: string; note: string }[]> {
    const { items } = await this.#swarm.api.list(kinds.Event, this.namespace);
    return items
      .filter((event) => dig(event, 'regarding', 'kind') === 'SwarmPool')
      .map((event) => ({ reason: asString(event['reason']) ?? '', note: asString(event['note']) ?? '' }));
  }
}

async function reportOf(ip: string | undefined): Promise<{ version: number; jobs: readonly string[] }> {
  const nothing = { version: 0, jobs: [] };
  if (ip === undefined) return nothing;
  try {
    const { body } = await request(`http://${ip}:9090/internal/version`, { reset: true });
    return { ...nothing, ...readReport(await body.text()) };
  } catch {
    return nothing;
  }
}

export const names = (count: number, prefix = 's'): readonly string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
