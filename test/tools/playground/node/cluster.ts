// A control plane with nodes, and helpers for the tests.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import {
  type ControlPlane,
  startControlPlane,
} from '../../../../src/playground/control-plane/control-plane.ts';
import { parentOfRoots } from '../../../../src/playground/node/containers/mounts.ts';
import type { NodeOptions } from '../../../../src/playground/node/context.ts';
import { PlaygroundNode } from '../../../../src/playground/node/node.ts';
import type { KubeApi } from '../../../../src/runtime/client/api.ts';
import { KubeClient } from '../../../../src/runtime/client/client.ts';
import { hasCode } from '../../../../src/runtime/client/errors.ts';
import { loadKubeConfig } from '../../../../src/runtime/client/load-config.ts';
import { eventually } from '../../../support/processes.ts';

export type PodWish = Readonly<Record<string, unknown>>;

const NAMESPACE = 'default';

export class Cluster {
  readonly plane: ControlPlane;
  readonly api: KubeApi;
  readonly troubles: string[] = [];
  readonly #config: ReturnType<typeof loadKubeConfig>;
  readonly #nodes: PlaygroundNode[] = [];

  private constructor(plane: ControlPlane) {
    this.plane = plane;
    this.#config = loadKubeConfig({ file: plane.kubeconfig });
    this.api = new KubeClient(this.#config, { requestTimeoutMs: 60_000 });
  }

  static async start(options: Parameters<typeof startControlPlane>[0] = {}): Promise<Cluster> {
    // A slow node must not count as lost.
    return new Cluster(await startControlPlane({ nodeMonitorGraceSeconds: 60, ...options }));
  }

  async node(name: string, options: Partial<NodeOptions> = {}): Promise<PlaygroundNode> {
    const node = await PlaygroundNode.start({
      kubeconfig: this.plane.kubeconfig,
      client: this.plane.nodeClient,
      name,
      restartBackoffMs: 300,
      onTrouble: (message) => this.troubles.push(message),
      ...options,
    });
    this.#nodes.push(node);
    return node;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop({ graceSeconds: 1 })));
    await this.#config.closeConnections();
    await this.plane.stop();
  }

  /** A pod with one container that runs a program of this machine, by default. */
  async pod(name: string, spec: PodWish, metadata: object = {}): Promise<KubeObject> {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE, ...metadata },
      spec: { terminationGracePeriodSeconds: 1, ...spec },
    };
    return this.api.create(kinds.Pod, object);
  }

  async create(kind: Kind, name: string, rest: object): Promise<KubeObject> {
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    return this.api.create(kind, {
      apiVersion,
      kind: kind.kind,
      metadata: { name, namespace: NAMESPACE },
      ...rest,
    });
  }

  get(name: string, kind: Kind = kinds.Pod): Promise<KubeObject> {
    return this.api.get(kind, { namespace: NAMESPACE, name });
  }

  async exists(name: string, kind: Kind = kinds.Pod): Promise<boolean> {
    try {
      await this.get(name, kind);
      return true;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return false;
      throw error;
    }
  }

  annotate(
    name: string,
    annotations: Readonly<Record<string, string>>,
    subresource?: string,
  ): Promise<KubeObject> {
    return this.api.patch(
      kinds.Pod,
      { namespace: NAMESPACE, name },
      { type: 'merge', body: { metadata: { annotations } } },
      subresource,
    );
  }

  async delete(name: string, gracePeriodSeconds?: number): Promise<void> {
    await this.api.delete(
      kinds.Pod,
      { namespace: NAMESPACE, name },
      undefined,
      gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds },
    );
  }

  /**
   * Waits until the pod satisfies the condition, and returns that object: a later read may differ.
   */
  async when(
    name: string,
    what: string,
    test: (pod: KubeObject) => boolean,
    seconds = 300,
  ): Promise<KubeObject> {
    let last = await this.get(name);
    const look = async (): Promise<boolean> => {
      last = await this.get(name);
      return test(last);
    };
    await eventually(`pod ${name} ${what}`, look, seconds).catch((error: Error) => {
      throw new Error(`${error.message}; its status: ${JSON.stringify(last['status'])}`);
    });
    return last;
  }

  running = (name: string): Promise<KubeObject> =>
    this.when(name, 'is Ready', (pod) => condition(pod, 'Ready') === 'True');
  phase = (name: string, phase: string): Promise<KubeObject> =>
    this.when(name, `is ${phase}`, (pod) => dig(pod, 'status', 'phase') === phase);

  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(this.plane.binaries.kubectl, [
      '--kubeconfig',
      this.plane.kubeconfig,
      ...args,
    ]);
    return stdout;
  }

  logs = (name: string): Promise<string> => this.kubectl('logs', name);

  async eventsOf(name: string): Promise<{ reason: string; note: string }[]> {
    const { items } = await this.api.list(kinds.Event, NAMESPACE);
    return items
      .filter((event) => dig(event, 'involvedObject', 'name') === name)
      .map((event) => ({
        reason: asString(event['reason']) ?? '',
        note: asString(event['message']) ?? '',
      }));
  }

  async event(name: string, reason: string, containing = ''): Promise<string> {
    let note: string | undefined;
    await eventually(`an event ${reason} on ${name}`, async () => {
      note = (await this.eventsOf(name)).find(
        (event) => event.reason === reason && event.note.includes(containing),
      )?.note;
      return note !== undefined;
    });
    return note ?? '';
  }

  /** A file that pods can wait for: it delays them until the test says otherwise. */
  gate(name: string): {
    readonly file: string;
    readonly open: () => void;
    readonly shut: () => void;
  } {
    const file = path.join(this.plane.dir, `gate-${name}`);
    return { file, open: () => writeFileSync(file, ''), shut: () => rmSync(file) };
  }
}

export const sh = (script: string): { name: string; image: string; command: string[] } => ({
  name: 'main',
  image: 'busybox',
  command: ['sh', '-c', script],
});

export const untilOpen = ({ file }: { readonly file: string }): string =>
  `until [ -e ${file} ]; do sleep 0.1; done`;

/**
 * A command for an exec probe that runs every second, with a generous time-out for busy machines.
 */
export const asking = (...command: readonly string[]): object => ({
  exec: { command },
  periodSeconds: 1,
  timeoutSeconds: 60,
});

/** Ends at once on SIGTERM. */
export const forever = 'trap "exit 0" TERM; while :; do sleep 0.1; done';

export function condition(object: KubeObject, type: string): unknown {
  return dig(
    asList(dig(object, 'status', 'conditions')).find((each) => dig(each, 'type') === type),
    'status',
  );
}

export const container = (pod: KubeObject, list = 'containerStatuses'): unknown =>
  asList(dig(pod, 'status', list))[0];
export const restarts = (pod: KubeObject): number =>
  asNumber(dig(container(pod), 'restartCount')) ?? 0;
export const waiting = (pod: KubeObject): unknown =>
  dig(container(pod), 'state', 'waiting', 'reason');

/** What a node of this name could leave on this machine. */
export function traces(node: string): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const folders = [tmpdir(), parentOfRoots()].flatMap((folder) => readdirSync(folder));
  return [...mounts, ...folders].filter((entry) =>
    ['node', 'roots'].some((what) => entry.includes(`swarm-${what}-${node}-`)),
  );
}
