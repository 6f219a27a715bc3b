// How is a failed story printed for a maintainer? Its shape, what happened in which order, and
// which oracle failed.

import type { GroupAction, GroupStory } from './group/story.ts';
import type { QueueAction, QueueStory } from './queue/story.ts';
import type { Result } from './run.ts';
import type { Action, AnyStory, PlacedFault, Story } from './story/story.ts';

const LINES = 120;
const STANDBY = 'a second operator stands by';

export function printed(story: AnyStory, { violation, chronicle }: Result): string {
  const lines = chronicle.map(({ at, text }) => `${(at / 1000).toFixed(3).padStart(9)}  ${text}`);
  const shown =
    lines.length > LINES
      ? [
          ...lines.slice(0, 20),
          `           … ${lines.length - LINES} lines …`,
          ...lines.slice(20 - LINES),
        ]
      : lines;
  return [
    `✗ ${violation?.oracle ?? 'nothing'}: ${violation?.message ?? ''}`,
    `  ${subjectText(story)}; seed ${story.seed}`,
    ...story.actions.map((action) => `  user   ${actionText(action)}`),
    ...story.faults.map((fault) => `  fault  ${faultText(fault)}`),
    ...shown,
    '',
    `  once more: npm run sim -- --story '${JSON.stringify(story)}'`,
  ].join('\n');
}

function subjectText(story: AnyStory): string {
  if ('queues' in story) return queuesText(story);
  return 'group' in story ? groupText(story) : poolText(story);
}

function queuesText({ queues, hasStandby }: QueueStory): string {
  const standby = hasStandby ? `, ${STANDBY}` : '';
  return `queues ${JSON.stringify(queues)}${standby}`;
}

function groupText({ group: { mode, members, size }, hasStandby }: GroupStory): string {
  const standby = hasStandby ? `, ${STANDBY}` : '';
  return `a group (${mode}) of ${members} members at size ${size}${standby}`;
}

function poolText({ shape, hasStandby }: Story): string {
  const {
    mode,
    workers,
    streams,
    isOrdered = false,
    hasFiniteJobs = false,
    isOnce = false,
    isSlow = false,
    readsOnce = false,
  } = shape;
  const extras = [
    isOrdered && 'OrderedReady',
    hasFiniteJobs && 'finite jobs',
    isOnce && 'work that ends once',
    isSlow && 'slow to stop',
    readsOnce && 'workers that read their file once',
    hasStandby && STANDBY,
  ].filter(Boolean);
  return `a pool (${mode}) of ${streams} streams on ${workers} workers${extras.map((it) => `, ${it}`).join('')}`;
}

function actionText({
  atMs,
  ...action
}: (Action | GroupAction | QueueAction) & { readonly atMs: number }): string {
  return `after ${atMs} ms: ${JSON.stringify(action)}`;
}

const faultText = (fault: PlacedFault): string =>
  'atMs' in fault
    ? `${fault.fault} after ${fault.atMs} ms`
    : `${fault.fault} ${fault.side} call ${fault.call}`;
