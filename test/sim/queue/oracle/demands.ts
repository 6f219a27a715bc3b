// What does each job ask for? By its own manifest, and the LimitRanges of its namespace.
import { LABEL_QUEUE } from '../../../../src/api/batch-job.ts';
import { kinds } from '../../../../src/api/kinds.ts';
import {
  asList,
  asNumber,
  asRecord,
  asString,
  dig,
  type KubeObject,
} from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { judge, requestsOfPod } from '../cluster/counted.ts';
import { withDefaults } from '../cluster/pod-admission.ts';
import { type Amounts, times } from './amounts.ts';
import { type Entry, entriesIn, GRANT, ledgerOf } from './scene.ts';

/** Both clocks round to seconds. */
const RESTS_MS = 12_000;

/** A batch Job of a user that is queued by its label. */
export const isPlain = (job: KubeObject): boolean =>
  ownerUid(job) === undefined && job.metadata.labels?.[LABEL_QUEUE] !== undefined;

export const plainJobsIn = (server: ApiServer): readonly KubeObject[] =>
  server.all({ kind: kinds.Job, namespace: NAMESPACE }).filter(isPlain);

/** Undefined: it names none. */
export const queueOf = (job: KubeObject): string | undefined =>
  job.kind === 'Job' ? job.metadata.labels?.[LABEL_QUEUE] : asString(dig(job, 'spec', 'queueName'));

/** In its own words, or by default as its queue says. */
export function saidBy(server: ApiServer, job: KubeObject, field: string): unknown {
  const own = job.kind === 'Job' ? undefined : dig(job, 'spec', field);
  const name = queueOf(job) ?? '';
  const queue = server.find(kinds.SwarmQueue, { namespace: NAMESPACE, name });
  return own ?? dig(queue, 'spec', 'jobDefaults', field);
}

/** Seconds; undefined: none. Nothing sets a default on a batch Job of a user. */
export const deadlineOf = (job: KubeObject, queue: KubeObject | undefined): number | undefined =>
  asNumber(dig(job, 'spec', 'activeDeadlineSeconds')) ??
  (job.kind === 'Job'
    ? undefined
    : asNumber(dig(queue, 'spec', 'jobDefaults', 'activeDeadlineSeconds')));

/** Seconds before its deadline. Undefined: it can have no such signal. */
export function signalOf(job: KubeObject, queue: KubeObject | undefined): number | undefined {
  const deadline = deadlineOf(job, queue);
  const signal =
    asNumber(dig(job, 'spec', 'deadlineSignalSeconds')) ??
    asNumber(dig(queue, 'spec', 'jobDefaults', 'deadlineSignalSeconds')) ??
    0;
  const grace = asNumber(dig(job, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds'));
  if (job.kind === 'Job' || deadline === undefined || signal === 0) return 0;
  return signal < deadline && signal >= (grace ?? 0) ? signal : undefined;
}

/** How many pods it runs at a time. */
export function sizeOf(job: KubeObject): number {
  if (job.kind !== 'Job') return asNumber(dig(job, 'spec', 'size')) ?? 1;
  const completions = asNumber(dig(job, 'spec', 'completions')) ?? 1;
  return Math.min(asNumber(dig(job, 'spec', 'parallelism')) ?? 1, completions);
}

/** Of all pods that it runs at a time. */
export const needsOf = (server: ApiServer, job: KubeObject): Amounts =>
  times(requestsOfPod(podOf(server, job)), sizeOf(job));

/** A ResourceQuota demands something of each container that one of them leaves out. */
export const isLacking = (server: ApiServer, job: KubeObject): boolean =>
  server
    .all({ kind: kinds.ResourceQuota, namespace: NAMESPACE })
    .some(({ spec }) => judge(spec, {}, podOf(server, job)).is === 'lacking');

/** The spec of a pod of it, as it would be stored. */
function podOf(server: ApiServer, job: KubeObject): object {
  const template = asRecord(dig(job, 'spec', 'template', 'spec')) ?? {};
  const main = { name: 'main', resources: dig(job, 'spec', 'resources') };
  const podSpec = job.kind === 'Job' ? template : { ...template, containers: [main] };
  return withDefaults(server, job.metadata.namespace, podSpec);
}

/** With what batch Jobs may make that a user let start without their queue. */
export function grantedIn(
  server: ApiServer,
  entries: readonly Entry[] = entriesIn(ledgerOf(server)),
): readonly Entry[] {
  const started = plainJobsIn(server)
    .filter((job) => dig(job, 'spec', 'suspend') !== true && !hasEnd(job))
    .filter(({ metadata }) => !entries.some(({ uid }) => uid === metadata.uid))
    .map((job) => ({
      uid: job.metadata.uid ?? '',
      name: job.metadata.name,
      queue: queueOf(job) ?? '',
      size: sizeOf(job),
      grant: 0,
      requests: needsOf(server, job),
    }));
  return [...entries, ...started];
}

/** A batch Job that was suspended after its start is queued again after ten seconds. */
export function isResting(job: KubeObject, wallMs: number): boolean {
  const suspended = asList(dig(job, 'status', 'conditions')).find(
    (it) => dig(it, 'type') === 'Suspended',
  );
  const since = Date.parse(asString(dig(suspended, 'lastTransitionTime')) ?? '');
  return job.metadata.annotations?.[GRANT] !== undefined && wallMs < since + RESTS_MS;
}

export const hasEnd = (job: KubeObject): boolean =>
  asList(dig(job, 'status', 'conditions')).some(
    (it) =>
      ['Complete', 'Failed'].includes(asString(dig(it, 'type')) ?? '') &&
      dig(it, 'status') === 'True',
  );
