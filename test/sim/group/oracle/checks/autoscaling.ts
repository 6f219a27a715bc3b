// Can an autoscaler work with what status says? Its formula multiplies by the pods that the
// selector finds, and compares with the size that the members really have.
import { asNumber, asRecord, asString, dig } from '../../../../../src/api/objects.ts';
import type { Scene, SceneMember } from '../scene.ts';
import { haveSize } from '../settled.ts';
import { type Moment, type Problem, problem } from './problem.ts';

export const autoscalingProblems = (moment: Moment): readonly Problem[] => [
  ...selectorProblems(moment),
  ...sizeToldProblems(moment),
  ...takeOverProblems(moment),
];

const isOfOne = ({ ratio }: SceneMember): boolean => /^1([.]0*)?$/.test(String(ratio));

/** One pod for each unit of the size: those of the member of ratio 1 that its bounds hold least. */
function selectorProblems({ scene }: Moment): readonly Problem[] {
  const { group, members, free, status } = scene;
  // Whether it is free depends on the moment.
  if (members.some(({ isContested }) => isContested)) return [];
  const [unit] = free
    .filter((it) => isOfOne(it) && podsOf(it) !== undefined)
    .toSorted(
      ({ bounds: a }, { bounds: b }) =>
        Number(a.most < b.most) - Number(a.most > b.most) || a.least - b.least,
    );
  const wanted = unit === undefined ? `k8slab.info/group=${group.metadata.name}` : podsOf(unit);
  const text = asString(dig(status, 'selector'));
  return text === wanted
    ? []
    : [
        problem(
          'selector',
          String(wanted),
          `status.selector is ${text}, not ${wanted}: ${unit?.key ?? 'no member'} has one pod a unit`,
        ),
      ];
}

/** As the text of a selector. */
function podsOf({ object, kind }: SceneMember): string | undefined {
  if (kind === 'SwarmPool') return asString(dig(object, 'status', 'selector'));
  const labels = Object.entries(asRecord(dig(object, 'spec', 'selector', 'matchLabels')) ?? {});
  return labels.length === 0 ? undefined : labels.map((pair) => pair.join('=')).join();
}

/** The size that all free members have, and until they have another one, the one before. */
function sizeToldProblems({ scene, past, now }: Moment): readonly Problem[] {
  const { size, members, status, isPaused } = scene;
  const told = asNumber(dig(status, 'replicas'));
  if (size === undefined || isPaused) return [];
  const isOdd = members.some((it) => it.isContested || past.isRefused(it.name, now));
  if (isOdd) return [];
  if (haveSize(scene, size))
    return told === size
      ? []
      : [
          problem(
            'size told',
            'present',
            `all members have size ${size}; status.replicas is ${told}`,
          ),
        ];
  return told === size && past.given !== size
    ? [
        problem(
          'size told',
          'wished',
          `status.replicas is ${told}, and the members do not have that size yet`,
        ),
      ]
    : [];
}

/** A size that is left out is taken over only where it changes no member. */
export function takeOverProblems({ scene }: Moment): readonly Problem[] {
  const { group, members, status, isPaused, policy } = scene;
  if (policy !== 'Manual' || dig(group, 'spec', 'replicas') !== undefined || isPaused) return [];
  const fits = sizesThatFit(scene);
  const areFree = members.every(({ isFree }) => isFree);
  if (fits.length > 0)
    return areFree
      ? [
          problem(
            'taken over',
            'size',
            `size ${fits[0]} gives each member what it has, and is not taken over`,
          ),
        ]
      : [];
  const text = JSON.stringify(dig(status, 'conditions') ?? []);
  return text.includes('spec.replicas')
    ? []
    : [
        problem(
          'taken over',
          'told',
          'no size gives each member what it has; no condition asks for spec.replicas',
        ),
      ];
}

const MOST_TRIED = 100;

export function sizesThatFit({ members, free, bounded }: Scene): readonly number[] {
  if (free.length === 0 || members.some(({ object }) => object === undefined)) return [];
  return Array.from({ length: MOST_TRIED }, (_, size) => size).filter((size) =>
    free.every(({ replicas, at }) => at(bounded(size)) === replicas),
  );
}
