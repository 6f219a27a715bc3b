// What does a restless pool cost the API server: edits in a row, a rolling restart, a dead worker?
// Counted in the audit log.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { asNumber, asString, dig } from '../src/api/objects.ts';
import { signalIfThere } from '../src/playground/processes/processes.ts';
import type { Pool } from '../test/integration/support/pool.ts';
import { names } from '../test/integration/support/shape.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import type { Measured } from './instruments/measure.ts';

const WORKERS = 8;
const STREAMS = 16;
const EDITS = 200;
const EDIT_EVERY_MS = 100;
const DEAD_SECONDS = 30;
const CRASH_EVERY_MS = 500;
const SETTLED_SECONDS = 180;
const namespace = 'churn';
const DEAD = 'worker-3';
/** A dead worker soon becomes not Ready, as with a kubelet's defaults. */
const readinessProbe = {
  httpGet: { path: '/internal/health', port: 9090 },
  periodSeconds: 1,
  timeoutSeconds: 2,
  failureThreshold: 3,
};
const idle = { args: ['--exec', 'sleep 100000'], readinessProbe };

/** The operator's requests, with their results. */
const counted = {
  'ConfigMap writes': of('configmaps', ['create', 'patch']),
  'pod annotations': of('pods/status', ['patch']),
  'status writes': of('swarmpools/status', ['update'], isDone),
  'status conflicts': of('swarmpools/status', ['update'], (code) => code === 409),
  'Events created': of('events', ['create'], isDone),
  'Events patched': of('events', ['patch'], isDone),
} as const satisfies Readonly<Record<string, (entry: unknown) => boolean>>;

export async function benchChurn(): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ controlPlane: { audit: true } });
  try {
    const operator = await swarm.operator('--leader-election', 'false');
    const pool = await swarm.pool(namespace, {
      streams: names(STREAMS),
      workers: WORKERS,
      worker: idle,
    });
    await pool.converged(names(STREAMS), WORKERS, SETTLED_SECONDS);
    const rows = [
      await part(
        `${EDITS} edits of the list in ${(EDITS * EDIT_EVERY_MS) / 1_000} s`,
        swarm,
        pool,
        () => edits(pool),
      ),
      await part(`a rolling restart of ${WORKERS} workers`, swarm, pool, () =>
        rollingRestart(swarm, pool),
      ),
      await part(`one hangs for ${DEAD_SECONDS} s at rest`, swarm, pool, () =>
        whileItHangs(swarm, pool, () => streamsOf(pool)),
      ),
      await part(`one hangs for ${DEAD_SECONDS} s, and the list changes`, swarm, pool, () =>
        whileItHangs(swarm, pool, () => changed(pool)),
      ),
      await part(`one crashes for ${DEAD_SECONDS} s, again and again`, swarm, pool, () =>
        whileItCrashes(swarm, pool),
      ),
    ];
    await operator.end();
    return rows;
  } finally {
    await swarm.stop();
  }
}

/** `work` returns the streams that run afterwards. */
async function part(
  name: string,
  swarm: Swarm,
  pool: Pool,
  work: () => Promise<readonly string[]>,
): Promise<Measured> {
  const log = swarm.playground.plane.auditLog ?? '';
  const from = entriesIn(log).length;
  const { version: first = 0 } = (await pool.status()) ?? {};
  const start = performance.now();
  const streams = await work();
  const { version = 0 } = await pool.converged(streams, WORKERS, SETTLED_SECONDS);
  const seconds = (performance.now() - start) / 1_000;
  const entries = entriesIn(log).slice(from);
  const counts = Object.entries(counted).map(
    ([what, isMeant]) => `${what} ${entries.filter(isMeant).length}`,
  );
  return {
    name: `${WORKERS} workers: ${name}`,
    value: [`versions ${version - first}`, ...counts].join(', '),
    note: `over ${seconds.toFixed(0)} s`,
  };
}

/**
 * Each adds a stream, or removes the last one: two additions for each removal, so that the list
 * grows and moves.
 */
async function edits(pool: Pool): Promise<readonly string[]> {
  let streams = names(STREAMS);
  const start = performance.now();
  for (let edit = 0; edit < EDITS; edit += 1) {
    streams = edit % 3 === 2 ? streams.slice(0, -1) : [...streams, `e${edit}`];
    await pool.streams(streams);
    await delay(Math.max(0, start + (edit + 1) * EDIT_EVERY_MS - performance.now()));
  }
  return streams;
}

async function rollingRestart(swarm: Swarm, pool: Pool): Promise<readonly string[]> {
  const uids = async (): Promise<readonly (string | undefined)[]> =>
    (await pool.pods()).map(({ metadata }) => metadata.uid);
  const before = new Set(await uids());
  await swarm.kubectl('-n', namespace, 'rollout', 'restart', 'statefulset/worker');
  const isReplaced = async (): Promise<boolean> => {
    const now = await uids();
    return now.length === WORKERS && now.every((uid) => !before.has(uid));
  };
  await eventually('all pods are new', isReplaced, SETTLED_SECONDS);
  return streamsOf(pool);
}

/** Its process is stopped: the port accepts connections, without a response. */
async function whileItHangs(
  swarm: Swarm,
  pool: Pool,
  change: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const pids = pidsOf(swarm, pool);
  for (const pid of pids) signalIfThere(pid, 'SIGSTOP');
  const streams = await change();
  await delay(DEAD_SECONDS * 1_000);
  for (const pid of pids) signalIfThere(pid, 'SIGCONT');
  return streams;
}

/** Every slice changes, also that of the hanging worker. */
async function changed(pool: Pool): Promise<readonly string[]> {
  const streams = names(STREAMS, 'other-');
  await pool.streams(streams);
  return streams;
}

async function whileItCrashes(swarm: Swarm, pool: Pool): Promise<readonly string[]> {
  for (
    const start = performance.now();
    performance.now() - start < DEAD_SECONDS * 1_000;
    await delay(CRASH_EVERY_MS)
  ) {
    for (const pid of pidsOf(swarm, pool)) signalIfThere(pid, 'SIGKILL');
  }
  return streamsOf(pool);
}

function pidsOf(swarm: Swarm, pool: Pool): readonly number[] {
  const pods = swarm.playground.nodes.flatMap(({ pods }) => pods);
  return (
    pods.find(({ namespace, name }) => namespace === pool.namespace && name === DEAD)?.pids ?? []
  );
}

const streamsOf = async (pool: Pool): Promise<readonly string[]> =>
  [...(await pool.published()).slices.values()].flatMap(({ jobs }) => jobs);

function of(
  resource: string,
  verbs: readonly string[],
  isMeant: (code: number) => boolean = () => true,
): (entry: unknown) => boolean {
  return (entry) => {
    const subresource = asString(dig(entry, 'objectRef', 'subresource'));
    const name = `${asString(dig(entry, 'objectRef', 'resource'))}${subresource === undefined ? '' : `/${subresource}`}`;
    return (
      name === resource &&
      verbs.includes(asString(dig(entry, 'verb')) ?? '') &&
      isMeant(asNumber(dig(entry, 'responseStatus', 'code')) ?? 0)
    );
  };
}

function isDone(code: number): boolean {
  return code >= 200 && code < 300;
}

/** Of operators, in this namespace. The part after the last line break is still being written. */
function entriesIn(auditLog: string): readonly unknown[] {
  const lines = readFileSync(auditLog, 'utf8').split('\n').slice(0, -1);
  const entries = lines
    .filter((line) => line.includes('"userAgent":"swarm-operator"'))
    .map((line): unknown => JSON.parse(line));
  return entries.filter((entry) => dig(entry, 'objectRef', 'namespace') === namespace);
}
