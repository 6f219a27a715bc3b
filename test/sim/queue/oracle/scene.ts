// What is there at one moment? As a user reads it from the API server.
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
import { hasEnded, ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { requestsOfPod } from '../cluster/counted.ts';
import { ledgerRef } from '../manifests.ts';
import { type Amounts, added, amountsIn, larger } from './amounts.ts';

export type Entry = {
  readonly uid: string;
  readonly name: string;
  readonly queue: string;
  readonly size: number;
  readonly grant: number;
  /** When it was admitted. */
  readonly time?: string;
  readonly requests: Amounts;
  /** UID of the job that takes its place. */
  readonly preemptedBy?: string | undefined;
};

export type LivePod = {
  readonly name: string;
  readonly queue: string;
  readonly jobUid: string;
  readonly batchUid: string;
  readonly isTerminating: boolean;
  readonly requests: Amounts;
};

export const GRANT = 'k8slab.info/grant';

export function livingPods(server: ApiServer): readonly LivePod[] {
  const entries = entriesIn(ledgerOf(server));
  const batchJobs = new Map(
    server.all({ kind: kinds.Job, namespace: NAMESPACE }).map((it) => [it.metadata.uid, it]),
  );
  return server
    .all({ kind: kinds.Pod, namespace: NAMESPACE })
    .filter((pod) => !hasEnded(pod))
    .map((pod) => {
      const batchUid = ownerUid(pod) ?? '';
      const jobUid = pod.metadata.annotations?.['k8slab.info/job-uid'] ?? batchUid;
      const entry = entries.find(({ uid }) => uid === jobUid);
      const labels = { ...batchJobs.get(batchUid)?.metadata.labels, ...pod.metadata.labels };
      return {
        name: pod.metadata.name,
        queue: entry?.queue ?? labels['k8slab.info/queue'] ?? '',
        jobUid,
        batchUid,
        isTerminating: pod.metadata.deletionTimestamp !== undefined,
        requests: requestsOfPod(pod['spec']),
      };
    });
}

/** What cannot be read grants nothing. */
export function entriesIn(ledger: KubeObject | undefined): readonly Entry[] {
  const text = asString(dig(ledger, 'data', 'ledger.json')) ?? '';
  try {
    return asList(dig(JSON.parse(text), 'entries')).map((it) => ({
      uid: asString(dig(it, 'uid')) ?? '',
      name: asString(dig(it, 'name')) ?? '',
      queue: asString(dig(it, 'queue')) ?? '',
      size: asNumber(dig(it, 'size')) ?? 0,
      grant: asNumber(dig(it, 'grant')) ?? 0,
      time: asString(dig(it, 'time')) ?? '',
      requests: amountsIn(asRecord(dig(it, 'requests'))),
      preemptedBy: asString(dig(it, 'preempted', 'uid')),
    }));
  } catch {
    return [];
  }
}

export const ledgerOf = (server: ApiServer): KubeObject | undefined =>
  server.find(kinds.ConfigMap, ledgerRef);

/** By queue: what is granted or what lives, whichever is more, of each job. */
export function usageIn(
  entries: readonly Entry[],
  pods: readonly LivePod[],
): Readonly<Record<string, Amounts>> {
  const uids = new Set(
    [...entries, ...pods.map(({ jobUid: uid }) => ({ uid }))].map(({ uid }) => uid),
  );
  const usage: Record<string, Amounts> = {};
  for (const uid of uids) {
    const entry = entries.find((it) => it.uid === uid);
    const own = pods.filter((pod) => pod.jobUid === uid);
    const queue = entry?.queue ?? own[0]?.queue ?? '';
    const amounts = larger([entry?.requests ?? {}, added(own.map(({ requests }) => requests))]);
    usage[queue] = added([usage[queue] ?? {}, amounts]);
  }
  return usage;
}
