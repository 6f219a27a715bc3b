// How are queues shown at a glance, and one of them with its quota and its order?
import type { SwarmQueue } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import { listed } from '../../core/text.ts';
import type { QuotaRow } from '../../queue/quota/rows.ts';
import type { WaitingRow } from '../job/queue-facts.ts';
import { type Cell, type Line, right, type Table, tableLines } from '../render.ts';
import { quotaTable, waitingTable } from './quota.ts';
import { stateLine, stateOf } from './state.ts';

export type QueueFacts = {
  readonly namespace: string;
  readonly name: string;
  readonly strategy: string | undefined;
  readonly quota: readonly QuotaRow[];
  /** Jobs that are admitted, by name. */
  readonly admitted: readonly string[];
  readonly waiting: readonly WaitingRow[];
  readonly held: NonNullable<NonNullable<SwarmQueue['status']>['held']>;
};

/** It is on its way: no user has to do anything. */
const isWaitingIn =
  ({ status }: SwarmQueue) =>
  (): boolean =>
    !isTrue(status?.conditions, 'Stalled');

export const queuesTable = (queues: readonly SwarmQueue[]): Table => ({
  columns: [
    'NAMESPACE',
    'QUEUE',
    'STRATEGY',
    ...['RUNNING', 'WAITING', 'PODS', 'CPU', 'MEMORY'].map(right),
    'STATE',
  ],
  rows: queues.map((queue): Cell[] => [
    queue.meta.namespace,
    { text: queue.meta.name, style: 'strong' },
    queue.spec.ok ? queue.spec.value.strategy : undefined,
    queue.status?.running,
    queue.status?.pending,
    ...['pods', 'cpu', 'memory'].map((resource) => usedText(queue, resource)),
    stateOf(queue, isWaitingIn(queue)),
  ]),
});

/** "8 of 20" */
function usedText({ spec, status }: SwarmQueue, resource: string): string | undefined {
  const quota = spec.ok ? spec.value.quota[resource] : undefined;
  const used = status?.usage?.[resource];
  if (quota === undefined) return used;
  return `${used ?? '?'} of ${quota}`;
}

export function queueLines(
  queue: SwarmQueue,
  facts: QueueFacts,
  width: number,
  isWide: boolean,
  now: number,
): readonly Line[] {
  const { namespace, name, strategy, quota, admitted, waiting, held } = facts;
  const running =
    admitted.length === 0
      ? 'none admitted'
      : `admitted: ${listed(admitted, isWide ? admitted.length : undefined)}`;
  return [
    [
      { text: `SwarmQueue ${namespace}/${name}`, style: 'strong' },
      { text: `: ${[strategy, running, `${waiting.length} waiting`].filter(Boolean).join(', ')}` },
    ],
    stateLine(queue, isWaitingIn(queue), now),
    '',
    ...tableLines(quotaTable(quota), width),
    ...(waiting.length === 0 ? [] : ['', ...tableLines(waitingTable(waiting, now), width)]),
    ...(held.length === 0 ? [] : ['', ...tableLines(heldTable(held), width)]),
  ];
}

const heldTable = (held: QueueFacts['held']): Table => ({
  columns: ['OVER, AND STILL IN USE', right('PODS'), ''],
  rows: held.map(({ name, pods, message }): Cell[] => [
    { text: name, style: 'bad' },
    pods,
    message,
  ]),
});
