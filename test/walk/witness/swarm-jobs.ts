// What does a SwarmJob ask for, and what did it ask for before? Who has taken its place?
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { USER } from './batch-jobs.ts';

type Spec = {
  readonly sinceMs: number;
  readonly priority: number;
  /** Undefined: it may run for as long as its queue allows. */
  readonly deadlineSeconds: number | undefined;
};

/** The status of the job names the job that takes its place. */
export type Preempted = {
  readonly by: string;
  readonly priority: number;
  /** When the status began to say so. */
  readonly time: string;
};

/** Mutable: the newest state of one SwarmJob. */
export type SwarmJobFacts = {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly user: string | undefined;
  queue: string;
  state: string;
  isDeleted: boolean;
  /** Of each generation, the oldest first. */
  readonly specs: Spec[];
  generation: number | undefined;
  preempted: Preempted | undefined;
};

export function newSwarmJob({ metadata }: KubeObject): SwarmJobFacts {
  const { uid = '', name, namespace = '', annotations } = metadata;
  return {
    ...{ uid, name, namespace, user: annotations?.[USER], queue: '', state: '' },
    ...{ isDeleted: false, specs: [], generation: undefined, preempted: undefined },
  };
}

export function updateSwarmJob(
  facts: SwarmJobFacts,
  job: KubeObject,
  atMs: number,
  isDeleted: boolean,
): void {
  const { generation, deletionTimestamp } = job.metadata;
  if (facts.specs.length === 0 || generation !== facts.generation)
    facts.specs.push(specOf(job, atMs));
  facts.generation = generation;
  facts.queue = asString(dig(job, 'spec', 'queueName')) ?? '';
  facts.state = asString(dig(job, 'status', 'state')) ?? '';
  facts.isDeleted = isDeleted || deletionTimestamp !== undefined;
  facts.preempted = preemptedIn(job);
}

/** Each that it had at some moment since. */
export function specsSince({ specs }: SwarmJobFacts, ms: number): readonly Spec[] {
  const from = specs.findLastIndex(({ sinceMs }) => sinceMs <= ms);
  return specs.slice(Math.max(0, from));
}

const specOf = (job: KubeObject, sinceMs: number): Spec => ({
  sinceMs,
  priority: asNumber(dig(job, 'spec', 'priority')) ?? 0,
  deadlineSeconds: asNumber(dig(job, 'spec', 'activeDeadlineSeconds')),
});

function preemptedIn({ status }: KubeObject): Preempted | undefined {
  const condition = asList(dig(status, 'conditions')).find((it) => dig(it, 'type') === 'Preempted');
  if (dig(condition, 'status') !== 'True') return undefined;
  const words = /^job (\S+) of priority (-?\d+) takes its place/.exec(
    asString(dig(condition, 'message')) ?? '',
  );
  return {
    by: words?.[1] ?? '',
    priority: Number(words?.[2]),
    time: asString(dig(condition, 'lastTransitionTime')) ?? '',
  };
}
