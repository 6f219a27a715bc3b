// swarmctl queue status: what does a queue grant, what is in use, and which jobs wait?
import {
  allNamespacesFor,
  type Command,
  command,
  exitCodes,
  output,
  queueExitCodes,
  queueFlags,
} from '../../arguments/command.ts';
import { print, type Terminal } from '../../arguments/terminal.ts';
import { type Cluster, readQueue, readQueues, withCluster } from '../../cluster/connect.ts';
import { tableLines } from '../../render.ts';
import { type QueueFacts, queueLines, queuesTable } from '../../views/queue-status.ts';
import { isWell } from '../../views/state.ts';

export const queueStatus: Command = command(
  {
    name: 'queue status',
    summary: 'show queues: quota, usage, and which jobs wait, in which order, and why',
    operands: { usage: '[QUEUE]', least: 0, most: 1 },
    about: `For one queue: its quota, how much of it is in use and one user may have, the admitted jobs, and all waiting jobs in their order, each with its position, its
reason, and when it starts at the latest, if every job that runs has a deadline. A job that can never start has no position. The command makes the operator's decision from the current
state of the namespace. Without a name: a line for each queue, from its status, which the operator writes.

${queueExitCodes}
1 means: a queue is not Ready: it is paused, or its spec has to be changed.`,
    examples: [
      ['swarmctl queue status', 'a line for each queue'],
      ['swarmctl queue status batch', 'one queue, and which jobs wait in it'],
    ],
    flags: { all: allNamespacesFor('queue'), output, ...queueFlags },
  },
  ({ values, operands: [name] }, terminal) =>
    withCluster(values, async (cluster) => {
      if (name !== undefined) return showOne(cluster, name, values.output, terminal);
      const queues = await readQueues(cluster, values.all);
      const data = queues.map(({ meta, spec, status }) => ({
        namespace: meta.namespace,
        name: meta.name,
        ...(spec.ok && { quota: spec.value.quota }),
        ...status,
      }));
      print(terminal, values.output, data, () =>
        queues.length === 0
          ? ['no SwarmQueue here; -A looks into all namespaces']
          : tableLines(queuesTable(queues), terminal.width),
      );
      return queues.every(isWell) ? exitCodes.ok : exitCodes.no;
    }),
);

async function showOne(
  cluster: Cluster,
  name: string,
  format: Parameters<typeof print>[1],
  terminal: Terminal,
): Promise<number> {
  const queue = await readQueue(cluster, name);
  const [{ decideQueues }, { admittedIn, waitingIn }, { quotaRows }] = await Promise.all([
    import('../../job/observe-queues.ts'),
    import('../../job/queue-facts.ts'),
    import('../../../queue/quota/rows.ts'),
  ]);
  const { namespace } = queue.meta;
  const now = Date.now();
  const decided = await decideQueues(cluster.api, namespace, now);
  const facts: QueueFacts = {
    namespace,
    name,
    strategy: queue.spec.ok ? queue.spec.value.strategy : undefined,
    quota: quotaRows(decided.desired, queue),
    admitted: admittedIn(decided, name),
    waiting: waitingIn(decided, name),
    held: queue.status?.held ?? [],
  };
  print(terminal, format, facts, (isWide) => queueLines(queue, facts, terminal.width, isWide, now));
  return isWell(queue) ? exitCodes.ok : exitCodes.no;
}
