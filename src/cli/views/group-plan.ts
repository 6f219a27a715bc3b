// How does a plan of a group look?
import { plural } from '../../core/text.ts';
import type { GroupPlan } from '../group/plan.ts';
import { type Cell, type Line, right, tableLines } from '../render.ts';
import { memberStyles } from './group-status.ts';

export function groupPlanLines(plan: GroupPlan, width: number): readonly Line[] {
  const { namespace, group, scales, left, notes } = plan;
  return [
    [
      { text: `SwarmGroup ${namespace}/${group}`, style: 'strong' },
      { text: `: ${headline(plan)}` },
    ],
    ...notes.map((note): Line => [{ text: `note: ${note}`, style: 'busy' }]),
    ...(scales.length === 0 ? [] : ['', ...tableLines(scalesTable(plan), width)]),
    ...(left.length === 0 ? [] : ['', ...tableLines(leftTable(plan), width)]),
  ];
}

function headline({ size, wanted, order, scales, stay, left }: GroupPlan): string {
  const way =
    size === undefined || size === wanted ? `size ${wanted}` : `size ${size} -> ${wanted}`;
  if (scales.length === 0) return `${way}, nothing would be scaled`;
  const parts = [
    `${plural(scales.length, 'member')} would be scaled`,
    ...(stay.length > 0 ? [`${stay.length} would stay`] : []),
    ...(left.length > 0 ? [`${left.length} would not be scaled`] : []),
  ];
  return `${way}, ${order}: ${parts.join(', ')}`;
}

const scalesTable = ({ order, scales }: GroupPlan) => ({
  columns: [
    ...(order === 'Staged' ? [right('TURN'), right('STAGE')] : []),
    'MEMBER',
    right('NOW'),
    right('THEN'),
    '',
  ],
  rows: scales.map(({ turn, stage, member, from, to }): Cell[] => [
    ...(order === 'Staged' ? [turn, stage] : []),
    { text: member, style: 'news' },
    from,
    to,
    '',
  ]),
});

const leftTable = ({ left }: GroupPlan) => ({
  columns: ['NOT SCALED', 'STATE', ''],
  rows: left.map(({ member, state, message }): Cell[] => [
    { text: member, style: 'bad' },
    { text: state, style: memberStyles[state] },
    message,
  ]),
});
