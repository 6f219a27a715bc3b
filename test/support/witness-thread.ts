// What do the pods of a namespace report to run, and what does the status of its pools say at the
// same time? Observed in a separate thread.
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { request } from 'undici';
import { readAssignment } from '../../src/api/assignment.ts';
import { kinds } from '../../src/api/kinds.ts';
import { asList, asRecord, asString, dig, type KubeObject } from '../../src/api/objects.ts';
import { parsePod } from '../../src/api/observed.ts';
import { readReport } from '../../src/api/report.ts';
import { ANNOTATION_MOVED_TO, LABEL_POOL } from '../../src/pool/publish/config-map.ts';
import type { Change } from '../../src/runtime/client/api.ts';
import { KubeClient } from '../../src/runtime/client/client.ts';
import { loadKubeConfig } from '../../src/runtime/client/load-config.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import type { WitnessOptions, WitnessReport } from './witness.ts';
import { FRESH_MS, type Heard, ViolationLog } from './witness-violations.ts';

const ROUND_MS = 150;
/** Conditions that claim health. */
const claimed: ReadonlySet<string> = new Set(['Ready', 'Converged']);

const { kubeconfig, namespace, port = 9090 } = workerData as WitnessOptions;
const config = loadKubeConfig({ file: kubeconfig });
const api = new KubeClient(config, { userAgent: 'swarm-witness' });
const stopping = new AbortController();
const log = new ViolationLog();
const pods = new Map<string, KubeObject>();
const configMaps = new Map<string, KubeObject>();
const statuses = new Map<string, string>();
const seen = { rounds: 0, answers: 0, statuses: 0, publications: 0 };

function onPod({ type, object }: Change): void {
  if (type === 'DELETED') pods.delete(object.metadata.name);
  else pods.set(object.metadata.name, object);
}

function onPool({ type, object }: Change): void {
  const { name } = object.metadata;
  if (type === 'DELETED') {
    statuses.delete(name);
    log.gone(name);
    return;
  }
  log.handoff(name, dig(object, 'spec', 'handoff', 'type') === 'Exclusive');
  reportPublished(name);
  // A change of the spec repeats the old status: the operator has written nothing.
  const text = JSON.stringify(object['status'] ?? null);
  if (statuses.get(name) === text) return;
  statuses.set(name, text);
  seen.statuses += 1;
  const all = asList(dig(object, 'status', 'conditions')).filter(
    (it) => dig(it, 'status') === 'True',
  );
  const claims = all
    .filter((it) => claimed.has(String(dig(it, 'type'))))
    .map((it) => `${dig(it, 'type')} (${dig(it, 'message')})`);
  log.claimed(name, claims, performance.now());
}

function onConfigMap({ type, object }: Change): void {
  if (type === 'DELETED') configMaps.delete(object.metadata.name);
  else configMaps.set(object.metadata.name, object);
  const pool = object.metadata.labels?.[LABEL_POOL];
  if (pool === undefined) return;
  seen.publications += 1;
  if (statuses.has(pool)) reportPublished(pool);
}

/**
 * Over all shards; an earlier ConfigMap does not count. A deleted or unreadable one changes nothing
 * for workers either.
 */
function reportPublished(pool: string): void {
  const current = [...configMaps.values()].filter(
    ({ metadata: { labels, annotations } }) =>
      labels?.[LABEL_POOL] === pool && annotations?.[ANNOTATION_MOVED_TO] === undefined,
  );
  const texts = current
    .flatMap((object) => Object.values(asRecord(object['data']) ?? {}))
    .map((text) => asString(text) ?? '');
  const read = texts.map(readAssignment).flatMap((it) => (it.ok ? [it.assignment] : []));
  if (read.length === 0) return;
  const slices = read
    .sort((a, b) => a.version - b.version)
    .flatMap(({ workloads }) => [...workloads]);
  log.published(pool, new Map(slices.map(([worker, { jobs }]) => [worker, jobs])));
}

async function ask(object: KubeObject): Promise<Heard> {
  const { name: pod, uid } = object.metadata;
  const askedMs = performance.now();
  const { ip, isReady, hasEnded } = parsePod(object);
  if (ip === undefined || hasEnded) return { pod, askedMs, said: 'dead' };
  try {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(FRESH_MS)]);
    // Without keep-alive: a worker that ends would wait for the connection.
    const { body } = await request(`http://${ip}:${port}/internal/version`, {
      reset: true,
      signal,
    });
    const report = readReport(await body.text());
    // The address may belong to another pod by now.
    if (report?.jobs === undefined || (report.podUid !== undefined && report.podUid !== uid))
      return { pod, askedMs, said: 'silent' };
    seen.answers += 1;
    return { pod, askedMs, said: report.jobs };
  } catch (error) {
    const isDead = !isReady || dig({ error }, 'error', 'code') === 'ECONNREFUSED';
    return { pod, askedMs, said: isDead ? 'dead' : 'silent' };
  }
}

async function look(): Promise<void> {
  while (!stopping.signal.aborted) {
    const start = performance.now();
    const heard = await Promise.all([...pods.values()].map(ask));
    if (stopping.signal.aborted) return;
    log.round(heard, performance.now());
    seen.rounds += 1;
    await delay(Math.max(0, start + ROUND_MS - performance.now()), undefined, {
      signal: stopping.signal,
    }).catch(() => undefined);
  }
}

const watch = (
  kind: (typeof kinds)[keyof typeof kinds],
  onChange: (change: Change) => void,
): Watcher => new Watcher(api, { kind, namespace }, { clock: systemClock }, onChange);

const watchers = [
  watch(kinds.SwarmPool, onPool),
  watch(kinds.ConfigMap, onConfigMap),
  watch(kinds.Pod, onPod),
];
const watching = watchers.map((watcher) => watcher.run(stopping.signal));
await Promise.all(watchers.map(({ synced }) => synced));
const looking = look();
parentPort?.postMessage('ready');
parentPort?.once('message', () => void end());

async function end(): Promise<void> {
  stopping.abort();
  await Promise.all([looking, ...watching]);
  await config.closeConnections();
  const report: WitnessReport = { namespace, ...seen, violations: log.violations };
  parentPort?.postMessage(report);
}
