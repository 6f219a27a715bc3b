// What is left in memory of objects that came and went? A process of its own: the real operator, a
// tenant that makes up ever new names, and a look at every string in the heap.
import { KubeConfig } from '@kubernetes/client-node';
import { apiVersionOf, type Kind, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { noSnapshots } from '../../../src/server/introspection/kinds.ts';
import { Metrics } from '../../../src/server/metrics/metrics.ts';
import { startOperator } from '../../../src/wiring.ts';
import { stringsInHeap } from '../../support/heap.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ApiServer } from '../cluster/api-server.ts';
import { settings } from '../operator/sim-operator.ts';

const ROUNDS = 60;
const namespace = 'tenant';
/** Each name, label, annotation and text that a round makes up. */
type Mark = (what: string) => string;
const markOf =
  (round: number): Mark =>
  (what) =>
    `${what}-z${round}z`;
const marks = /([a-z]+)-z(\d+)z/g;
const uids = /^uid-(\d+)$/;

const clock = new VirtualClock();
const server = new ApiServer(clock);
const kubeConfig = new KubeConfig();
kubeConfig.loadFromClusterAndUser(
  { name: 'simulated', server: 'http://127.0.0.1:1', skipTLSVerify: true },
  { name: 'operator' },
);
const apis: MemoryApi[] = [];
const podUids = new Set<number>();
let isQuotaExceeded = false;

function connect(): MemoryApi {
  const api = new MemoryApi(clock, server, {
    before: ({ verb, kind }) => {
      if (isQuotaExceeded && verb === 'create' && kind.kind === 'ConfigMap')
        throw new KubeError('Forbidden', 'exceeded quota');
    },
  });
  apis.push(api);
  return api;
}

function startReplica(identity: string): void {
  const quiet = (): void => undefined;
  const snapshots = noSnapshots();
  const metrics = new Metrics({ version: '0', commit: '', date: '' }, () => clock.monotonic());
  startOperator({
    settings,
    kubeConfig,
    api: connect(),
    leaseApi: connect(),
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    identity,
    ownNamespace: 'operators',
    crdFiles: [],
    observers: [metrics, snapshots],
    meter: metrics,
    random: () => 0.5,
    getFromWorker: async () => JSON.stringify({ version: 1 }),
  });
}

function create(kind: Kind, name: string, rest: object = {}, metadata: object = {}): KubeObject {
  return server.create(kind, {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { namespace, name, ...metadata },
    ...rest,
  });
}

const merge = (kind: Kind, name: string, body: object): KubeObject =>
  server.merge(kind, { namespace, name }, body);

function remove(kind: Kind, name: string): void {
  const ref = { namespace, name };
  if (server.find(kind, ref) !== undefined) server.remove(kind, ref);
}

const fieldRef = { fieldPath: "metadata.annotations['k8slab.info/assigned']" };
const volumesOf = (name: string): readonly object[] => [
  { name: 'assignments', configMap: { name: `${name}-assignments` } },
  { name: 'podinfo', downwardAPI: { items: [{ path: 'assigned', fieldRef }] } },
];

const workload = (name: string, replicas: number): object => ({
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'worker', image: 'x' }], volumes: volumesOf(name) },
    },
  },
});

/** A StatefulSet and two pods that are Ready. */
function createWorkers(name: string, labels: object = {}): void {
  const { uid } = create(kinds.StatefulSet, name, workload(name, 2), { labels }).metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', controller: true, name, uid };
  const containers = [{ name: 'worker', ports: [{ name: 'http', containerPort: 8080 }] }];
  for (const ordinal of [0, 1]) {
    const pod = `${name}-${ordinal}`;
    const spec = { containers, volumes: volumesOf(name) };
    const { metadata } = create(kinds.Pod, pod, { spec }, { ownerReferences: [owner] });
    podUids.add(Number(uids.exec(metadata.uid ?? '')?.[1]));
    const conditions = [{ type: 'Ready', status: 'True' }];
    const podIP = `10.${podUids.size >> 8}.${podUids.size & 255}.1`;
    server.merge(
      kinds.Pod,
      metadata,
      { status: { phase: 'Running', podIP, conditions } },
      'status',
    );
  }
}

function removeWorkers(name: string): void {
  for (const ordinal of [0, 1]) remove(kinds.Pod, `${name}-${ordinal}`);
  remove(kinds.StatefulSet, name);
}

const noteOf = (version: number): object => {
  const change = { version, moves: 0, reason: 'Created', time: '2026-01-01T00:00:00Z' };
  return { 'k8slab.info/change': JSON.stringify(change) };
};

const poolOf = (workers: object, rest: object = {}): object => ({
  spec: { workers, streams: [], ...rest },
});
const groupOf = (replicas: number, name: string): object => ({
  spec: { replicas, members: [{ kind: 'Deployment', name }] },
});

/** These stay; in each round their labels change, and what they name. */
function createLasting(): void {
  create(kinds.ConfigMap, 'relabelled');
  create(kinds.Deployment, 'worn', workload('worn', 1));
  create(kinds.SwarmPool, 'fickle', poolOf({ targetRef: { name: 'x' } }));
  createWorkers('calm');
  create(kinds.SwarmPool, 'calm', poolOf({ targetRef: { name: 'calm' } }));
}

function changeLasting(mark: Mark): void {
  const labels = { 'k8slab.info/pool': mark('label') };
  merge(kinds.ConfigMap, 'relabelled', { metadata: { labels, annotations: noteOf(7) } });
  merge(kinds.Deployment, 'worn', { metadata: { labels: { [mark('key')]: mark('value') } } });
  const assignments = { configMapName: mark('place') };
  merge(
    kinds.SwarmPool,
    'fickle',
    poolOf({ targetRef: { name: mark('target') } }, { assignments }),
  );
}

/** A quota refuses some; some are gone before they are settled, or in the middle of a decision. */
async function pool(mark: Mark, round: number): Promise<void> {
  const name = mark('pool');
  const labels = { app: mark('app') };
  createWorkers(name, labels);
  create(kinds.ConfigMap, mark('list'), { data: { list: mark('stream') } });
  const rest = {
    streams: [{ name: mark('own') }],
    streamsFrom: [{ configMapKeyRef: { name: mark('list'), key: 'list' } }],
    assignments: { whenDeleted: round % 3 === 0 ? 'Delete' : 'Retain' },
    handoff: { type: round % 2 === 0 ? 'Exclusive' : 'AtLeastOnce' },
  };
  create(kinds.SwarmPool, name, poolOf({ selector: { matchLabels: labels } }, rest));
  create(kinds.HorizontalPodAutoscaler, mark('hpa'), {
    spec: { scaleTargetRef: { kind: 'SwarmPool', name } },
  });
  isQuotaExceeded = round % 5 === 0;
  await clock.advance(round % 4 === 0 ? 0 : 3_000);
  isQuotaExceeded = false;
  remove(kinds.SwarmPool, name);
  remove(kinds.HorizontalPodAutoscaler, mark('hpa'));
  remove(kinds.ConfigMap, mark('list'));
  removeWorkers(name);
  await clock.advance(round % 4 === 0 ? 0 : 1_000);
  remove(kinds.ConfigMap, `${name}-assignments`);
}

async function group(mark: Mark): Promise<void> {
  const member = mark('member');
  create(kinds.Deployment, member, workload(member, 1));
  create(kinds.SwarmGroup, mark('group'), groupOf(2, member));
  await clock.advance(500);
  remove(kinds.SwarmGroup, mark('group'));
  await clock.advance(500);
  remove(kinds.Deployment, member);
}

async function play(round: number): Promise<void> {
  const mark = markOf(round);
  changeLasting(mark);
  await pool(mark, round);
  await group(mark);
  merge(kinds.Deployment, 'worn', { metadata: { labels: { [mark('key')]: null } } });
}

/** Series of events are remembered for ten minutes, and freed by the next event. */
async function calmDown(): Promise<void> {
  await clock.advance(25 * 60_000);
  merge(kinds.SwarmPool, 'calm', { spec: { streams: [{ name: 'a' }] } });
  create(kinds.SwarmGroup, 'calm', groupOf(3, 'worn'));
  await clock.advance(60_000);
}

function forgetServer(): void {
  for (const { metadata } of server.all({ kind: kinds.Event }))
    server.remove(kinds.Event, metadata);
  server.forgetHistory();
}

async function countLeft(): Promise<Readonly<Record<string, number>>> {
  const left = new Map<string, Set<number>>();
  const note = (what: string, which: number): void =>
    void left.set(what, (left.get(what) ?? new Set()).add(which));
  const living = server.all({ kind: kinds.Pod }).map(({ metadata }) => metadata.uid);
  for (const text of await stringsInHeap()) {
    for (const [, what = '', round] of text.matchAll(marks))
      if (Number(round) < ROUNDS) note(what, Number(round));
    const uid = Number(uids.exec(text)?.[1]);
    if (podUids.has(uid) && !living.includes(text)) note('uid of a pod', uid);
  }
  return Object.fromEntries([...left].map(([what, all]) => [what, all.size]));
}

createLasting();
// The second stands by all the time.
for (const identity of ['a', 'b']) startReplica(identity);
await clock.advance(20_000);
// What the last round made up is still there.
for (let round = 0; round <= ROUNDS; round += 1) await play(round);
await calmDown();
forgetServer();
await clock.advance(60_000);
const writes = apis.reduce((sum, api) => sum + api.writes.length, 0);
for (const api of apis) api.calls.splice(0);
console.log(JSON.stringify({ writes, left: await countLeft() }));
process.exit(0);
