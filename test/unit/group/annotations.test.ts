// What do annotations say of a selected member?
import { describe, expect, it } from '@jest/globals';
import { annotatedRules } from '../../../src/group/members/rules.ts';
import {
  conditionOf,
  groupWorld,
  settled,
  sizesOf,
  stateOf,
  withMember,
} from '../../support/group-worlds.ts';

const defaults = { minReplicas: 0, maxReplicas: 8 };

describe('the annotations of a member', () => {
  it.each([
    [{}, {}],
    [
      { 'k8slab.info/ratio': '1.5', 'k8slab.info/stage': '2' },
      { ratio: '1.5', stage: 2 },
    ],
    [
      { 'k8slab.info/min-replicas': '1', 'k8slab.info/max-replicas': '4' },
      { minReplicas: 1, maxReplicas: 4 },
    ],
    [{ 'k8slab.info/ready-fraction': '0.9' }, { readyFraction: '0.9' }],
  ])(
    'the annotations %j of a member set the fields %j',
    (annotations: Record<string, string>, rules) => {
      expect(annotatedRules(annotations, defaults)).toEqual({ ok: true, rules });
    },
  );

  it.each([
    ['k8slab.info/ratio', '0', 'a number above 0, at most 1000, with at most nine decimals'],
    ['k8slab.info/ratio', '1e3', 'a number above 0, at most 1000, with at most nine decimals'],
    ['k8slab.info/stage', '-1', 'a whole number from 0 to 99'],
    ['k8slab.info/stage', '100', 'a whole number from 0 to 99'],
    ['k8slab.info/max-replicas', 'many', 'a whole number from 0 to 100000000'],
    [
      'k8slab.info/ready-fraction',
      '1.1',
      'a number above 0, at most 1, with at most nine decimals',
    ],
  ])('the annotation %s of a member is refused with the value "%s"', (name, text, allowed) => {
    expect(annotatedRules({ [name]: text }, defaults)).toEqual({
      ok: false,
      problem: `its annotation ${name} is "${text}"; it must be ${allowed}`,
    });
  });

  it('annotations of a member are refused where its bounds contradict each other, or memberDefaults', () => {
    expect(annotatedRules({ 'k8slab.info/min-replicas': '9' }, defaults)).toEqual({
      ok: false,
      problem:
        'k8slab.info/min-replicas (9) is larger than k8slab.info/max-replicas (8); fields without an annotation come from memberDefaults',
    });
  });
});

describe('a group with a selector', () => {
  const selected = () =>
    groupWorld({
      spec: { members: undefined, selector: { matchLabels: { shop: 'yes' } }, replicas: 2 },
    });

  it('a group with a selector gives each member the size that follows from its annotations', () => {
    const at = withMember(selected(), 'a', () => ({ rules: { ratio: '2.5', maxReplicas: 4 } }));
    expect(sizesOf(settled(at))).toEqual({ a: 4, b: 2 });
  });

  it('a group with a selector leaves alone only the member whose annotations are wrong', () => {
    const at = settled(withMember(selected(), 'a', () => ({ refusal: 'its annotation is wrong' })));
    expect(sizesOf(at)).toEqual({ a: 1, b: 2 });
    expect(stateOf(at, 'a')).toBe('Refused');
    expect(conditionOf(at, 'Stalled')).toMatchObject({ status: 'True', reason: 'MemberRefused' });
  });
});
