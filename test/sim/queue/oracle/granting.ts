// Is the reason of each waiting job true? After a story, users grant just what it names: then the
// job is admitted, or says what else it lacks.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asRecord, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { refOf } from '../manifests.ts';
import type { QueueSimWorld } from '../queue-world.ts';
import type { QueueAction } from '../story.ts';
import { type Amounts, amountOf, amountsIn } from './amounts.ts';
import { takenIn } from './bounds.ts';
import { grantedIn } from './demands.ts';
import { stateOf } from './order.ts';
import { entriesIn, ledgerOf, livingPods } from './scene.ts';
import { maxPerUserOf } from './users.ts';

const MOST_JOBS = 3;
const MOST_GRANTS = 6;
const LOOK_MS = 500;
/** The figures of a queue are written every two seconds at most. */
const FIGURES_MS = 2_500;
const WITHIN_MS = 10_000;

type Told = {
  readonly name: string;
  readonly queue: string;
  readonly reason: string;
  readonly message: string;
};

export async function grantWhatIsNamed(world: QueueSimWorld): Promise<void> {
  for (const { name } of toldIn(world).slice(0, MOST_JOBS)) await grantTo(world, name);
}

async function grantTo(world: QueueSimWorld, name: string): Promise<void> {
  for (let count = 0; count < MOST_GRANTS; count += 1) {
    // Another job may just have got some of what was free.
    await world.clock.advance(FIGURES_MS);
    const told = toldIn(world).find((it) => it.name === name);
    if (told === undefined) return;
    const grant = grantOf(world, told);
    if (grant === undefined) return;
    world.record(`granted to ${name}, ${told.reason}: ${told.message}: ${JSON.stringify(grant)}`);
    const admitted = admittedIn(world);
    for (const action of grant) world.act(action);
    if (await goesOn(world, told)) continue;
    // One that goes first took what was granted: the figures are of another moment.
    if ([...admittedIn(world)].some((uid) => !admitted.has(uid))) continue;
    const { reason, message } = told;
    world.report({
      oracle: 'reason true',
      message: `${name} still waits, ${reason}: ${message}; after ${JSON.stringify(grant)}`,
    });
    return;
  }
}

/** It is admitted, or its reason is another one. */
async function goesOn(world: QueueSimWorld, before: Told): Promise<boolean> {
  for (let ms = 0; ms < WITHIN_MS; ms += LOOK_MS) {
    await world.clock.advance(LOOK_MS);
    const told = toldIn(world).find(({ name }) => name === before.name);
    if (told?.reason !== before.reason || told.message !== before.message) return true;
  }
  return false;
}

const admittedIn = ({ server }: QueueSimWorld): ReadonlySet<string> =>
  new Set(entriesIn(ledgerOf(server)).map(({ uid }) => uid));

/** As the queues list them, or as their own status says. */
function toldIn({ server }: QueueSimWorld): readonly Told[] {
  const isIn = new Set(entriesIn(ledgerOf(server)).map(({ name }) => name));
  const listed = server
    .all({ kind: kinds.SwarmQueue, namespace: NAMESPACE })
    .flatMap((queue) =>
      asList(dig(queue, 'status', 'waiting')).map((it) => toldBy(it, queue.metadata.name)),
    );
  const others = server
    .all({ kind: kinds.SwarmJob, namespace: NAMESPACE })
    .filter((job) => stateOf(job) === 'Waiting')
    .filter(({ metadata }) => !listed.some(({ name }) => name === metadata.name))
    .map(({ metadata: { name }, spec, status }) =>
      toldBy({ ...Object(status), name }, asString(dig(spec, 'queueName')) ?? ''),
    );
  return [...listed, ...others].filter(({ name }) => !isIn.has(name));
}

function toldBy(it: unknown, queue: string): Told {
  const [name = '', reason = '', message = ''] = ['name', 'reason', 'message'].map((field) =>
    asString(dig(it, field)),
  );
  return { name, queue, reason, message };
}

/** Undefined: nothing can be granted to it. */
function grantOf(
  world: QueueSimWorld,
  { name, queue: queueName, reason, message }: Told,
): readonly QueueAction[] | undefined {
  const { server } = world;
  const queue = server.find(kinds.SwarmQueue, refOf(queueName));
  const patched = (patch: object): QueueAction => ({ do: 'queue', name: queueName, patch });
  const isOfQuota = !message.includes('ResourceQuota');
  switch (reason) {
    case 'QueueNotFound':
      return [{ do: 'createQueue', name: queueName, spec: { quota: { pods: '9', cpu: '20' } } }];
    case 'QueuePaused':
      return [patched({ paused: false }), { do: 'annotateQueue', name: queueName }];
    case 'PriorityTooHigh':
      return [patched({ maxPriority: Number(/priority is (-?\d+)/.exec(message)?.[1]) })];
    case 'DeadlineTooLong': {
      const seconds = Number(/Seconds is (\d+)/.exec(message)?.[1]);
      return [patched({ maxActiveDeadlineSeconds: Number.isNaN(seconds) ? null : seconds })];
    }
    case 'InvalidDeadlineSignal':
      return [{ do: 'job', name, patch: { deadlineSignalSeconds: 0 } }];
    case 'RequestMissing':
      return requestsFor(server.find(kinds.SwarmJob, refOf(name)), name);
    case 'BehindHead':
      return removed(server.find(kinds.SwarmJob, refOf(headIn(message))), headIn(message));
    case 'MaxPerUser':
      return [patched({ maxPerUser: written(grantedToUser(world, { name, queueName, message })) })];
    case 'TooLargeEver':
      if (message.includes('allows a user'))
        return [patched({ maxPerUser: written(neededIn(message)) })];
      return isOfQuota
        ? [patched({ quota: written(neededIn(message)) })]
        : [hardOf(server.find(kinds.ResourceQuota, refOf('bound')), neededIn(message))];
    case 'WaitingForQuota':
    case 'ResourceQuotaLacks': {
      const resourceQuota = server.find(kinds.ResourceQuota, refOf('bound'));
      const bound = amountsIn(
        isOfQuota ? dig(queue, 'spec', 'quota') : dig(resourceQuota, 'spec', 'hard'),
      );
      // Of a ResourceQuota some may be kept for pods that admitted jobs have not made yet.
      const { pods = 0, cpu = 0 } = takenIn(server);
      const used = isOfQuota
        ? amountsIn(dig(queue, 'status', 'usage'))
        : { pods, 'requests.cpu': cpu };
      const wanted = Object.fromEntries(
        Object.entries(lackedIn(message)).map(([resource, more]) => [
          resource,
          // A quota may be smaller than what is in use.
          Math.max(bound[resource] ?? 0, used[resource] ?? 0) + more,
        ]),
      );
      return isOfQuota ? [patched({ quota: written(wanted) })] : [hardOf(resourceQuota, wanted)];
    }
    default:
      return undefined;
  }
}

/** What its user would have beside what the user has: that may be more than is allowed now. */
function grantedToUser(
  { server, oracle: { past } }: QueueSimWorld,
  of: { readonly name: string; readonly queueName: string; readonly message: string },
): Amounts {
  const inUse = { entries: grantedIn(server), pods: livingPods(server) };
  const job = server.find(kinds.SwarmJob, refOf(of.name)) ?? server.find(kinds.Job, refOf(of.name));
  const user = past.users.of(job?.metadata.uid ?? '', inUse.entries);
  const used = past.users.usedBy(user, of.queueName, inUse);
  const bound = maxPerUserOf(server, of.queueName);
  return Object.fromEntries(
    Object.entries(lackedIn(of.message)).map(([resource, more]) => [
      resource,
      Math.max(bound[resource] ?? 0, used[resource] ?? 0) + more,
    ]),
  );
}

const SOME = { resources: { requests: { cpu: '100m' } } };

/** In each container that says nothing. */
function requestsFor(job: KubeObject | undefined, name: string): QueueAction[] | undefined {
  if (job === undefined) return undefined;
  const initContainers = asList(dig(job, 'spec', 'template', 'spec', 'initContainers'));
  const sidecars = initContainers.map((it) => ({ ...SOME, ...asRecord(it) }));
  const hasOwn = dig(job, 'spec', 'resources') !== undefined;
  const template = { spec: { initContainers: sidecars } };
  const patch = { ...(!hasOwn && SOME), ...(sidecars.length > 0 && { template }) };
  return [{ do: 'job', name, patch }];
}

const headIn = (message: string): string =>
  /\bjob (\S+?),? (?:which|goes)/.exec(message)?.[1] ?? '';

const removed = (job: KubeObject | undefined, name: string): readonly QueueAction[] =>
  job === undefined
    ? [{ do: 'plain', name, how: 'delete', queue: '' }]
    : [{ do: 'deleteJob', name }];

/** `needs 5 pods and 2 cpu, the whole quota …` */
const neededIn = (message: string): Amounts => pairsIn(message.split(', ', 1)[0] ?? '');

const pairsIn = (text: string): Amounts =>
  Object.fromEntries(
    [...text.matchAll(/(\d+m?) ([a-z.]+)/g)].map(([, amount = '', resource = '']) => [
      nameOf(resource),
      amountOf(amount),
    ]),
  );

/** `needs 5 pods, 2 are free; needs 2 cpu, 500m are free` */
const lackedIn = (message: string): Amounts =>
  Object.fromEntries(
    [...message.matchAll(/needs (\d+m?) ([a-z.]+), (\d+m?) (?:is|are) free/g)].map(
      ([, needs = '', resource = '', free = '']) => [
        nameOf(resource),
        amountOf(needs) - amountOf(free),
      ],
    ),
  );

/** Of one pod the sentence says so. */
const nameOf = (resource: string): string => (resource === 'pod' ? 'pods' : resource);

const written = (amounts: Amounts): object =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, `${amount}m`]));

const hardOf = (quota: KubeObject | undefined, amounts: Amounts): QueueAction => ({
  do: 'resourceQuota',
  hard: { ...Object(dig(quota, 'spec', 'hard')), ...written(amounts) },
});
