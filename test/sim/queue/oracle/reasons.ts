// Is the reason true that a job gives for its wait? When all is at rest.
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { excess } from './amounts.ts';
import { boundsIn, lackedOf, takenIn } from './bounds.ts';
import { aheadOf, type By, backsOff, reasonOf, roomsIn, waitingIn, whyNever } from './order.ts';
import { entriesIn, ledgerOf } from './scene.ts';

export function waitingProblems(server: ApiServer, by: By, job: KubeObject): readonly string[] {
  const reason = reasonOf(job);
  if (backsOff(job, by.wallMs)) return ['it backs off'];
  const entries = entriesIn(ledgerOf(server));
  const own = waitingIn(server, entries, by).find((it) => it.job === job);
  if (own === undefined) return ['it waits, and may not be admitted'];
  const queue = server.find(kinds.SwarmQueue, { namespace: NAMESPACE, name: own.queue });
  const never = whyNever(own, queue);
  if (never !== undefined) return never === reason ? [] : [`it says ${reason}, and it is ${never}`];
  if (own.isCapped !== (reason === 'MaxPerUser'))
    return [`it says ${reason}, and its user may ${own.isCapped ? 'not ' : ''}have it`];
  if (own.isCapped) return [];
  const rooms = roomsIn(server, by);
  const room = rooms.find((it) => it.queue.metadata.name === own.queue);
  const lacks = excess(own.needs, room?.free ?? {});
  if (lacks.length > 0)
    return reason === 'WaitingForQuota' ? [] : [`it says ${reason}: ${lacks.join(', ')}`];
  const bounds = boundsIn(server);
  const refused = lackedOf(bounds, own.needs, takenIn(server));
  if (refused.length > 0)
    return reason === 'ResourceQuotaLacks'
      ? []
      : [`it says ${reason}, and a ResourceQuota lacks ${refused.join(' and ')}`];
  const [first] = room?.waiting ?? [];
  // Of a ResourceQuota some is kept for jobs of other queues, too.
  const isBehind =
    (first !== undefined && first.name !== own.name) ||
    (room?.strictHead !== undefined && room.strictHead.name !== own.name) ||
    (bounds.length > 0 && aheadOf(own, rooms).length > 0);
  if (reason === 'BehindHead' && isBehind) return [];
  return [`it says ${reason}, and there is room for it`];
}
