// Which Leases are of operators, and which of these must lead in place of this one?
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/api/objects.ts';
import {
  type LeasedOperator,
  type LeaseStage,
  leaderElsewhere,
  leaderText,
  leaseAnnotations,
  leasedOperator,
  leaseLabels,
  leaseNameFor,
} from '../../../src/core/operators.ts';

type Meta = { readonly name?: string; readonly labels?: object; readonly annotations?: object };

const lease = ({ name = 'other', ...rest }: Meta = {}, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'ops', name, ...rest },
    spec: { holderIdentity: 'pod-1', ...spec },
  }) as KubeObject;

describe('a Lease', () => {
  it.each([
    ['by its label', { labels: leaseLabels }],
    ['by its name, as of an older operator', { name: 'swarm-operator' }],
    ['by the kinds on it', { annotations: { 'k8slab.info/kinds': '[]' } }],
  ])('of an operator is known %s', (_, meta) => {
    expect(leasedOperator(lease(meta))).toEqual({
      lease: `ops/${'name' in meta ? meta.name : 'other'}`,
      holder: 'pod-1',
      namespaces: [],
      runsAs: undefined,
      yields: false,
    });
  });

  it('of another program is not one of an operator', () => {
    const labels = { 'app.kubernetes.io/managed-by': 'helm' };
    expect(leasedOperator(lease({ name: 'kube-scheduler', labels }))).toBeUndefined();
  });

  it.each([
    [{ namespaces: [], runsAs: 'pod ops/x', yields: false }],
    [{ namespaces: ['a', 'b'], runsAs: 'process 7 on mine', yields: true }],
  ])('says what the operator wrote on it: %j', (facts) => {
    const written = lease({ labels: leaseLabels, annotations: leaseAnnotations(facts) });
    expect(leasedOperator(written)).toMatchObject(facts);
  });

  it.each([
    ['a,b', ['a', 'b']],
    ['*', []],
    ['', []],
    ['a,*', []],
    ['a,../b', []],
    ['a,\u001b[2J', []],
  ])('with the namespaces %j counts as one that watches %j', (text, want) => {
    const annotations = { 'k8slab.info/namespaces': text };
    expect(leasedOperator(lease({ labels: leaseLabels, annotations }))?.namespaces).toEqual(want);
  });

  it('with broken or endless texts is read in bounds', () => {
    const annotations = {
      'k8slab.info/namespaces': Array.from({ length: 5_000 }, () => 'n').join(','),
      'k8slab.info/runs-as': `x\n${'y'.repeat(9_000)}`,
      'k8slab.info/yields': 'perhaps',
    };
    const read = leasedOperator(
      lease({ labels: leaseLabels, annotations }, { holderIdentity: 'z'.repeat(9_000) }),
    );
    expect(read?.namespaces).toHaveLength(1_000);
    expect(read?.runsAs).toHaveLength(200);
    expect(read?.holder).toHaveLength(200);
    expect(read?.yields).toBe(false);
    expect(leaderText(read as LeasedOperator).length).toBeLessThan(900);
  });
});

const operator = (name: string, more: Partial<LeasedOperator> = {}): LeasedOperator => ({
  lease: `${name}/swarm-operator`,
  holder: name,
  namespaces: [],
  runsAs: undefined,
  yields: false,
  ...more,
});

describe('an operator that looks for others', () => {
  const own = (namespaces: readonly string[] = []) => ({ lease: 'own/swarm-operator', namespaces });
  const installed = operator('ops');
  const team = operator('ops', { namespaces: ['team-a', 'team-b'] });
  const byHand = operator('home', { yields: true });

  it.each<[string, readonly string[], readonly LeasedOperator[], LeaseStage, string | undefined]>([
    ['leads when there is no other', [], [], 'waiting', undefined],
    ['leads by its own Lease', [], [operator('own')], 'waiting', undefined],
    ['waits for an installed one', [], [installed], 'waiting', 'ops'],
    ['gives its claim back for an installed one', [], [installed], 'claimed', 'ops'],
    ['stops leading for an installed one', [], [installed], 'leading', 'ops'],
    [
      'leads when nobody holds the Lease',
      [],
      [operator('ops', { holder: '' })],
      'waiting',
      undefined,
    ],
    ['waits for one that watches a part', [], [team], 'waiting', 'ops'],
    ['waits for one that watches all', ['team-z'], [installed], 'waiting', 'ops'],
    ['waits for one that watches one of its own', ['team-b', 'z'], [team], 'waiting', 'ops'],
    ['leads beside one that watches others', ['team-z'], [team], 'waiting', undefined],
    ['waits for one that was started by hand', [], [byHand], 'waiting', 'home'],
    ['gives its claim back for one by hand', [], [byHand], 'claimed', 'home'],
    ['leads on when another by hand claims', [], [byHand], 'leading', undefined],
    ['names the first of several', [], [team, byHand], 'waiting', 'home'],
  ])('%s', (_, namespaces, running, stage, want) => {
    expect(leaderElsewhere(own(namespaces), running, stage)?.holder).toBe(want);
  });
});

describe('the Lease of an operator outside of the cluster', () => {
  it.each([
    ['all namespaces', [], 'swarm-operator'],
    ['one', ['team-a'], 'swarm-operator.team-a'],
    ['some, in any order', ['b', 'a', 'b'], 'swarm-operator.a.b'],
  ])('is named after its namespaces: %s', (_, namespaces, want) => {
    expect(leaseNameFor(namespaces)).toBe(want);
  });

  it('has a name that the API server takes, however many they are', () => {
    const name = leaseNameFor(Array.from({ length: 300 }, (_, index) => `team-${index}`));
    expect(name.length).toBeLessThanOrEqual(253);
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])$/);
  });
});
