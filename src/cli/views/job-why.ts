// How is the chain of causes of a job shown?
import { listed, plural } from '../../core/text.ts';
import type { BatchJobLink, Chain, QueueLink } from '../job/chain.ts';
import type { CronJobLink } from '../job/cron-job.ts';
import type { ToldPod } from '../job/warnings.ts';
import { type Cell, type Line, right, type Table, tableLines } from '../render.ts';
import { quotaTable } from './quota.ts';
import { startText } from './time.ts';

export function chainLines(chain: Chain, width: number, now: number): readonly Line[] {
  const { kind, namespace, name, state, why, preempted, queue, attempt, pods = [] } = chain;
  const { cronJob, batchJob } = chain;
  const lacking = queue?.quota ?? [];
  return [
    [{ text: `${kind} ${namespace}/${name}`, style: 'strong' }, { text: `: ${state}: ${why}` }],
    ...(preempted === undefined ? [] : [`it was told to end: ${preempted}`]),
    ...(queue === undefined ? [] : [queueText(queue, now)]),
    ...(cronJob === undefined ? [] : [cronJobText(cronJob)]),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(batchJob === undefined ? [] : batchJobLines(batchJob)),
    ...(lacking.length === 0 ? [] : ['', ...tableLines(quotaTable(lacking), width)]),
    ...(pods.length === 0 ? [] : ['', ...tableLines(podsTable(pods), width)]),
    ...warningLines(pods),
  ];
}

/** What is not counted in the time at which it starts at the latest. */
const MOVES =
  'a job with a higher priority, an older one that is resumed, or a deadline that is raised may move that';

const warningLines = (pods: readonly ToldPod[]): readonly Line[] => {
  const lines = pods.flatMap(({ pod, warnings = [] }) =>
    warnings.map((text): Line => [{ text: `${pod}: ` }, { text, style: 'bad' }]),
  );
  return lines.length === 0 ? [] : ['', ...lines];
};

function queueText(queue: QueueLink, now: number): string {
  const { name, isThere, problem, strategy, position, waiting, before } = queue;
  if (!isThere) return `SwarmQueue ${name}: there is none of this name in the namespace`;
  const place = position === undefined ? [] : [`position ${position} of ${waiting}`];
  const first = before.map((it) => `${it.name} (priority ${it.priority}, ${it.reason})`);
  return [
    `SwarmQueue ${name}: ${[strategy, ...place].filter(Boolean).join(', ')}`,
    ...(problem === undefined ? [] : [problem]),
    ...(first.length === 0 ? [] : [`before it: ${listed(first)}`]),
    ...[startText(queue, now)].filter((it) => it !== undefined),
    ...(queue.startsBy === undefined ? [] : [MOVES]),
  ].join('; ');
}

function cronJobText({ name, concurrencyPolicy, waiting }: CronJobLink): string {
  const policy = `CronJob ${name} has concurrencyPolicy ${concurrencyPolicy}`;
  switch (concurrencyPolicy) {
    case 'Replace':
      return `${policy}: its next run deletes this Job, and the new one takes its place in the queue`;
    case 'Forbid':
      return `${policy}: it runs no other Job while this one waits`;
    default:
      return `${policy}: each run adds a Job, also while others wait: ${waiting} of them ${waiting === 1 ? 'does' : 'do'}`;
  }
}

const batchJobLines = (batchJob: BatchJobLink): readonly Line[] => {
  const { name, isSuspended, active, ready, failed, events } = batchJob;
  const counts = [
    `${plural(active, 'pod')} ${active === 1 ? 'lives' : 'live'}`,
    `${ready} ready`,
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return [
    `batch Job ${name}: ${isSuspended ? 'suspended' : counts.join(', ')}`,
    ...events.map((text): Line => [{ text: `  ${text}`, style: 'bad' }]),
  ];
};

/** Only pods of an Indexed Job have ranks. */
function podsTable(pods: readonly ToldPod[]): Table {
  const hasRanks = pods.some(({ isRanked = true }) => isRanked);
  return {
    columns: [...(hasRanks ? [right('RANK')] : []), 'POD', 'NODE', 'STATE', ''],
    rows: pods.map(({ rank, pod, node, state, message }): Cell[] => [
      ...(hasRanks ? [rank] : []),
      pod,
      node,
      { text: state, style: message === undefined ? 'good' : 'bad' },
      message ?? '',
    ]),
  };
}
