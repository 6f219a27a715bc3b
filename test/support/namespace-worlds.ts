// What the pure admission reads, in numbers: queues, jobs that wait, and what is in use.
import type { Amounts } from '../../src/core/amounts.ts';
import { ONE } from '../../src/core/quantity.ts';
import type { NamespaceWorld, Queue, WaitingJob } from '../../src/queue/world.ts';

export const amounts = (of: Readonly<Record<string, number>>): Amounts =>
  new Map(Object.entries(of).map(([resource, amount]) => [resource, BigInt(amount) * ONE]));

export const queueOf = (
  quota: Readonly<Record<string, number>>,
  over: Partial<Queue> = {},
): Queue => ({
  name: 'batch',
  quota: amounts(quota),
  strategy: 'BestEffort',
  maxPriority: 100,
  maxDeadlineSeconds: undefined,
  isPaused: false,
  preempts: false,
  ...over,
});

export const jobOf = (
  name: string,
  size: number,
  perPod: Readonly<Record<string, number>> = {},
  over: Partial<WaitingJob> = {},
): WaitingJob => ({
  uid: name,
  name,
  queue: 'batch',
  createdMs: name.codePointAt(0) ?? 0,
  priority: 0,
  size,
  perPod: amounts(perPod),
  claims: [],
  charges: new Map(),
  missing: [],
  deadlineSeconds: undefined,
  backsOffForMs: 0,
  endsInMs: 0,
  entryBytes: 100,
  ...over,
});

export const worldOf = (
  queues: readonly Queue[],
  waiting: readonly WaitingJob[],
  over: Partial<NamespaceWorld> = {},
): NamespaceWorld => ({
  queues,
  waiting,
  returning: [],
  admitted: [],
  living: [],
  startsInMs: 0,
  ofUsers: [],
  running: [],
  ending: new Set(),
  endingFor: new Map(),
  starting: undefined,
  resourceQuotas: [],
  blocked: new Map(),
  ledgerBytes: 500_000,
  ...over,
});
