// Who was passed by a job that goes behind it? Priority, then age; with BestEffort a job may pass
// the first that waits, as long as it takes nothing that this one lacks.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { type Amounts, added, amountsIn, excess } from './amounts.ts';
import { type Waiting, waitingIn, whyNever } from './order.ts';
import { type Entry, livingPods, usageIn } from './scene.ts';

export type Passed = { readonly first: Waiting; readonly by: string };

/** `admitted` are new beside `before`. `waits`: it has waited so long that the operator knows. */
export function passedIn(
  server: ApiServer,
  { before, admitted }: { readonly before: readonly Entry[]; readonly admitted: readonly Entry[] },
  wallMs: number,
  waits: (uid: string) => boolean,
): readonly Passed[] {
  if (server.all({ kind: kinds.ResourceQuota, namespace: NAMESPACE }).length > 0) return [];
  return [...new Set(admitted.map(({ queue }) => queue))].flatMap((name) => {
    const queue = server.find(kinds.SwarmQueue, { namespace: NAMESPACE, name });
    if (queue === undefined) return [];
    const all = waitingIn(server, before, wallMs).filter((it) => it.queue === name);
    const isAdmitted = ({ job }: Waiting): boolean =>
      admitted.some(({ uid }) => uid === job.metadata.uid);
    const isFirst = (it: Waiting): boolean =>
      !isAdmitted(it) && waits(it.job.metadata.uid ?? '') && whyNever(it, queue) === undefined;
    const at = all.findIndex(isFirst);
    const first = all[at];
    if (first === undefined) return [];
    const ahead = all.slice(0, at).filter(isAdmitted);
    const used = added([
      usageIn(before, livingPods(server))[name] ?? {},
      ...ahead.map(({ needs }) => needs),
    ]);
    const quota = amountsIn(dig(queue, 'spec', 'quota'));
    const isStrict = dig(queue, 'spec', 'strategy') === 'StrictFIFO';
    const lacks = lackedIn(first.needs, used, quota);
    return all
      .slice(at)
      .filter(isAdmitted)
      .filter(({ needs }) => isStrict || lacks.length === 0 || lacks.some((it) => it in needs))
      .map((it) => ({ first, by: it.name }));
  });
}

/** The resources of which there is not enough. */
const lackedIn = (needs: Amounts, used: Amounts, quota: Amounts): readonly string[] =>
  Object.keys(quota).filter(
    (name) => excess({ [name]: (needs[name] ?? 0) + (used[name] ?? 0) }, quota).length > 0,
  );
