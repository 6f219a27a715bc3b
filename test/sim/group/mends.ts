// How does a story end? All that broke is mended, and the first spec is back: then the group must
// become healthy again.
import type { Placed } from '../story/story.ts';
import { isPlain, nameAt, namesOf } from './manifests.ts';
import type { GroupAction, GroupShape } from './story.ts';

/** `at`: when the step of this number comes. */
export function mends(
  shape: GroupShape,
  at: (step: number) => number,
): readonly Placed<GroupAction>[] {
  const { mode, members } = shape;
  const plain = namesOf(shape).filter(isPlain);
  const mend = (step: number, action: GroupAction): Placed<GroupAction> => ({
    ...action,
    atMs: at(step),
    mends: true,
  });
  return [
    ...plain.map((name) => mend(0, { do: 'mendPods', name })),
    ...plain.map((name) => mend(0, { do: 'template', name, revision: 'first' })),
    mend(0, { do: 'groupAutoscaler' }),
    mend(0, { do: 'autoscaler', ...(mode === 'Autoscaler' && { of: 'm1' }) }),
    mend(0, { do: 'elder', names: [] }),
    mend(0, { do: 'leader' }),
    mend(0, { do: 'rival' }),
    mend(0, { do: 'createMembers' }),
    mend(0, { do: 'createGroup' }),
    ...(mode === 'Pool' ? [mend(0, { do: 'poolScaling', to: 'Lead' } as const)] : []),
    ...Array.from({ length: members }, (_, index) =>
      mend(1, { do: 'relabel', name: nameAt(index), isSelected: true }),
    ),
    mend(1, { do: 'resume' }),
    mend(2, { do: 'restore' }),
  ];
}
