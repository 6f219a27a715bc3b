// Does the simulated API server count and refuse pods as the real one has answered?
import { expect, it } from '@jest/globals';
import type { Answer, AnsweredCase } from '../../support/quota-answers/case.ts';
import { readTable } from '../../support/quota-answers/table.ts';
import { judge } from './cluster/counted.ts';
import { storedSpec } from './cluster/stored-pod.ts';
import { type Amounts, added, amountsIn } from './oracle/amounts.ts';

const { cases, runtimeClasses, priorityClasses } = readTable();

const objectsOf = (all: typeof runtimeClasses): readonly object[] =>
  all.map(({ name, ...rest }) => ({ ...rest, metadata: { name } }));

/** What the simulated quotas do with each pod in turn, in the words of the table. */
function simulated({ quotas, pods, limitRange, hasDefaultClass }: AnsweredCase): unknown[] {
  const completions = {
    limitRanges: limitRange === undefined ? [] : [limitRange],
    runtimeClasses: objectsOf(runtimeClasses),
    priorityClasses: objectsOf(
      priorityClasses.filter((it) => hasDefaultClass || it['globalDefault'] !== true),
    ),
  };
  const used = new Map<string, Amounts>();
  return pods.map(({ spec, answer }) => {
    const stored = storedSpec(spec, completions);
    const judged = Object.entries(quotas).map(([name, quota]) => ({
      name,
      ...judge(quota, used.get(name) ?? {}, stored),
    }));
    // Of several quotas that refuse a pod, the API server names any.
    const named = judged.filter(({ name }) => 'quota' in answer && name === answer.quota);
    for (const is of ['lacking', 'exceeding']) {
      const [refusal] = [...named, ...judged].filter((it) => it.is === is);
      if (refusal !== undefined) {
        const { name: quota, ...what } = refusal;
        return { ...what, quota };
      }
    }
    const takes = judged.map((it): [string, Amounts] => [it.name, 'takes' in it ? it.takes : {}]);
    for (const [name, amounts] of takes) used.set(name, added([used.get(name) ?? {}, amounts]));
    return { is: 'created', takes: Object.fromEntries(takes) };
  });
}

function inThousandths(answer: Answer): unknown {
  if (answer.is === 'exceeding') return { ...answer, takes: amountsIn(answer.takes) };
  if (answer.is !== 'created') return answer;
  const takes = Object.entries(answer.takes).map(([name, it]) => [name, amountsIn(it)]);
  return { ...answer, takes: Object.fromEntries(takes) };
}

it.each(cases.map((it) => [it.name, it] as const))(
  'the simulated API server counts and refuses pods as the real one did in %s',
  (_, answered) =>
    expect(simulated(answered)).toEqual(answered.pods.map(({ answer }) => inThousandths(answer))),
);
