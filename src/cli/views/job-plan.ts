// How does the plan of a job look?
import type { JobPlan } from '../job/plan.ts';
import { type Line, tableLines } from '../render.ts';
import { quotaTable } from './quota.ts';
import { startText } from './time.ts';

export function jobPlanLines(plan: JobPlan, width: number, now: number): readonly Line[] {
  const { namespace, name, queue, starts, reason, message, position, waiting, quota } = plan;
  const place = [
    ...(position === undefined ? [] : [`position ${position} of ${waiting}`]),
    ...[startText(plan, now)].filter((it) => it !== undefined),
  ].join(', ');
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
    ...(quota.length === 0 ? [] : ['', ...tableLines(quotaTable(quota), width)]),
  ];
}
