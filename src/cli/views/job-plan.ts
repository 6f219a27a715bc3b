// How does the plan of a job look?
import type { JobPlan } from '../job/plan.ts';
import { type Line, tableLines } from '../render.ts';
import { quotaTable } from './quota.ts';
import { startText } from './time.ts';

/** `of`: how many jobs are planned together; all of their quotas are of the moment before. */
export function jobPlanLines(
  plan: JobPlan,
  of: number,
  width: number,
  now: number,
): readonly Line[] {
  const { namespace, name, queue, starts, reason, message, position, waiting, quota } = plan;
  const place = [
    ...(position === undefined ? [] : [`position ${position} of ${waiting}`]),
    ...[startText(plan, now)].filter((it) => it !== undefined),
  ].join(', ');
  const moment = of > 1 ? [`SwarmQueue ${queue} before any of these ${of} jobs starts:`] : [];
  return [
    [
      { text: `SwarmJob ${namespace}/${name}`, style: 'strong' },
      starts
        ? { text: ' would start now', style: 'good' }
        : { text: ' would not start now', style: 'busy' },
      {
        text: starts
          ? ` in SwarmQueue ${queue}`
          : `: ${[reason, message].filter(Boolean).join(': ')}${place === '' ? '' : ` (${place})`}`,
      },
    ],
    ...(quota.length === 0 ? [] : ['', ...moment, ...tableLines(quotaTable(quota), width)]),
  ];
}
