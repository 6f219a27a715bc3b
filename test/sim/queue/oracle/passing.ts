// Who was passed by a job that goes behind it? Priority, then age; with BestEffort a job may pass
// the first that waits, as long as it takes nothing that this one lacks. What a ResourceQuota lacks
// for the first of a queue, no job of any queue takes that goes behind it.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { added, amountsIn } from './amounts.ts';
import { boundsIn, lackedOf, requestsOf } from './bounds.ts';
import { type Waiting, waitingIn, whyNever } from './order.ts';
import { type Entry, type LivePod, livingPods, usageIn } from './scene.ts';

export type Passed = { readonly first: Waiting; readonly by: string };

/** What the operator knows, as it has been so for a while. */
export type Known = {
  readonly wallMs: number;
  /** This job waits. */
  readonly waits: (uid: string) => boolean;
  /** This pod lives. */
  readonly lives: (pod: LivePod) => boolean;
};

/** `admitted` are new beside `before`. */
export function passedIn(
  server: ApiServer,
  { before, admitted }: { readonly before: readonly Entry[]; readonly admitted: readonly Entry[] },
  { wallMs, waits, lives }: Known,
): readonly Passed[] {
  const all = waitingIn(server, before, wallMs);
  const isAdmitted = ({ job }: Waiting): boolean =>
    admitted.some(({ uid }) => uid === job.metadata.uid);
  const pods = livingPods(server);
  const usage = usageIn(before, pods);
  const bounds = boundsIn(server);
  const living = requestsOf(pods.filter(lives));
  return server.all({ kind: kinds.SwarmQueue, namespace: NAMESPACE }).flatMap((queue) => {
    const { name } = queue.metadata;
    const isFirst = (it: Waiting): boolean =>
      it.queue === name &&
      !isAdmitted(it) &&
      waits(it.job.metadata.uid ?? '') &&
      whyNever(it, queue) === undefined;
    const at = all.findIndex(isFirst);
    const first = all[at];
    if (first === undefined) return [];
    const ahead = all.slice(0, at).filter(isAdmitted);
    const used = added([
      usage[name] ?? {},
      ...ahead.filter((it) => it.queue === name).map(({ needs }) => needs),
    ]);
    const quota = amountsIn(dig(queue, 'spec', 'quota'));
    const taken = added([living, ...ahead.map(({ needs }) => needs)]);
    const refused = lackedOf(bounds, first.needs, taken);
    const lacks = [...lackedOf([quota], first.needs, used), ...refused];
    const takes = ({ needs }: Waiting, some: readonly string[]): boolean =>
      some.some((it) => it in needs);
    return all
      .slice(at)
      .filter(isAdmitted)
      .filter((it) =>
        it.queue === name
          ? isStrict(queue) || lacks.length === 0 || takes(it, lacks)
          : takes(it, refused),
      )
      .map((it) => ({ first, by: it.name }));
  });
}

const isStrict = (queue: KubeObject): boolean => dig(queue, 'spec', 'strategy') === 'StrictFIFO';
