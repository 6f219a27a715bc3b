// Do the metrics of a group count its transitions, each once, and end with it?
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GroupWorld } from '../../../src/group/world.ts';
import { Metrics } from '../../../src/server/metrics/metrics.ts';
import {
  carriedOut,
  decide,
  groupWorld,
  NOW,
  ready,
  seenAt,
  withMember,
  withSpec,
} from '../../support/group-worlds.ts';

const KEY = 'swarm/shop';

let metrics: Metrics;

beforeEach(() => {
  metrics = new Metrics({ version: '1', commit: 'c', date: 'd' }, () => 0);
});

/** Decides after so long as the engine would, and returns the world that follows. */
function look(at: GroupWorld, ms: number): GroupWorld {
  const world = seenAt(at, at.monotonicMs + ms);
  const decision = decide(world);
  metrics.groups.decided(KEY, { world, decision, now: NOW + world.monotonicMs, tookMs: 1 });
  return carriedOut(world, decision);
}

async function figures(): Promise<Readonly<Record<string, number>>> {
  const text = await metrics.registry.metrics();
  const found = text.matchAll(
    /^swarm_group_(\w+)\{(?:namespace="swarm",group="shop"(?:,(?:outcome|reason)="(\w+)")?)\} (.*)$/gm,
  );
  return Object.fromEntries(
    [...found].map(([, name, outcome = '', value]) => [`${name}${outcome}`, Number(value)]),
  );
}

const pending = { state: 'pending' } as const;

const sumOf = (name: string, of: Readonly<Record<string, number>>): number =>
  Object.entries(of)
    .filter(([key]) => key.startsWith(name))
    .reduce((sum, [, value]) => sum + value, 0);

describe('a group', () => {
  it('the metrics of a group show its size, and how long a transition took', async () => {
    const rest = look(ready(look(groupWorld(), 0)), 10);
    const under = look(withSpec(rest, { replicas: 3 }), 10);
    const patched = look(under, 20);
    expect(await figures()).toMatchObject({ size: 3, members: 2, members_ready: 0, ready: 0 });
    look(look(ready(patched), 480), 10);
    expect(await figures()).toMatchObject({
      members_ready: 2,
      ready: 1,
      paused: 0,
      stalled: 0,
      transition_seconds_count: 1,
      transition_seconds_sum: 0.02,
      patch_seconds_count: 1,
      patch_seconds_sum: 0,
      transitions_totalCompleted: 1,
      transitions_totalTimedOut: 0,
    });
  });

  it('the metrics of a group show its wanted size, within its bounds, beside its present size', async () => {
    const policy = { type: 'Manual', maxReplicas: 4 };
    const rest = look(ready(look(groupWorld({ spec: { policy } }), 0)), 10);
    look(withSpec(rest, { replicas: 9 }), 10);
    expect(await figures()).toMatchObject({ size: 1, size_wanted: 4 });
  });

  it('the metrics of a group show no wanted size while its spec is invalid', async () => {
    const rest = look(ready(look(groupWorld(), 0)), 10);
    expect(await figures()).toMatchObject({ size_wanted: 1 });
    const { group } = rest;
    look({ ...rest, group: { ...group, spec: { ok: false, problems: [] } } }, 10);
    expect(await figures()).toMatchObject({ stalled: 1, reasonInvalidSpec: 1 });
    expect(await figures()).not.toHaveProperty('size_wanted');
  });

  it('the metrics of a group show the one reason why it is ready or not', async () => {
    const under = look(withSpec(look(groupWorld(), 0), { replicas: 3 }), 10);
    expect(await figures()).toMatchObject({ reasonWorking: 1 });
    look(ready(look(under, 20)), 100);
    expect(await figures()).toMatchObject({ reasonAllReady: 1 });
    expect(await figures()).not.toHaveProperty('reasonWorking');
  });

  it.each([
    ['by the reason of its pods', 'ImagePullBackOff', 'ImagePullBackOff'],
    ['as Other with a reason that is not in the list', 'RegistryUnavailable', 'Other'],
    ['as Other without a reason', undefined, 'Other'],
  ])('the metrics of a group count a failed transition once, %s', async (_, trouble, counted) => {
    const transition = { timeoutSeconds: 60, onTimeout: 'Rollback' };
    const rest = look(ready(look(groupWorld({ spec: { transition } }), 0)), 10);
    const scaled = look(look(withSpec(rest, { replicas: 3 }), 10), 10);
    const stuck = withMember(ready(scaled, 'a'), 'b', () => (trouble ? { trouble } : {}));
    const failed = look(look(stuck, 10), 60_000);
    look(ready(look(failed, 10)), 10);
    expect(await figures()).toMatchObject({
      [`transition_failures_total${counted}`]: 1,
      transitions_totalRolledBack: 1,
    });
    expect(sumOf('transition_failures_total', await figures())).toBe(1);
  });

  it('the metrics of a group count as Refused a size that the API server refused until the time-out', async () => {
    const transition = { timeoutSeconds: 60 };
    const rest = look(ready(look(groupWorld({ spec: { transition } }), 0)), 10);
    const scales = [{ kind: 'Deployment', name: 'b', message: 'exceeded quota' }];
    const refused = { reason: 'Forbidden', message: 'exceeded quota', scales };
    const asked = look(withSpec(rest, { replicas: 3 }), 10);
    const back = withMember(ready(asked, 'a'), 'b', () => ({ replicas: 1 }));
    look(look({ ...back, refused }, 10), 60_000);
    expect(await figures()).toMatchObject({
      transition_failures_totalRefused: 1,
      transitions_totalTimedOut: 1,
    });
  });

  it('the metrics show a paused group as neither ready nor stalled', async () => {
    look(withSpec(look(groupWorld(), 0), { paused: true }), 10);
    expect(await figures()).toMatchObject({ paused: 1, ready: 0, stalled: 0 });
  });

  it('the metrics of a group show the value that its policy queried, while it is fresh', async () => {
    const prometheus = { query: 'load', target: '100' };
    const policy = { type: 'Prometheus', maxReplicas: 9, prometheus };
    const at = groupWorld({ spec: { replicas: undefined, policy } });
    const sampled = { state: 'sampled', value: 234.5, ageMs: 0 } as const;
    const rest = look({ ...at, metric: sampled }, 0);
    expect(await figures()).toMatchObject({
      ...{ metric_value: 234.5, metric_target: 100, metric_missing: 0 },
    });
    look({ ...rest, metric: { ...sampled, ageMs: 120_000 } }, 10);
    expect(await figures()).toMatchObject({ metric_missing: 1, metric_target: 100 });
    expect(await figures()).not.toHaveProperty('metric_value');
  });

  it('the metrics of a group show the time of its last sample, also while the source fails', async () => {
    const prometheus = { query: 'load', target: '100' };
    const policy = { type: 'Prometheus', maxReplicas: 9, prometheus };
    const at = groupWorld({ spec: { replicas: undefined, policy } });
    const rest = look({ ...at, metric: { state: 'sampled', value: 100, ageMs: 2_000 } }, 5_000);
    const ofSample = { metric_timestamp_seconds: NOW / 1000 + 3 };
    expect(await figures()).toMatchObject(ofSample);
    const failed = { state: 'failed', trouble: 'unreachable', detail: '' } as const;
    const lost = look({ ...rest, metric: failed }, 60_000);
    expect(await figures()).toMatchObject(ofSample);
    look({ ...withSpec(lost, { policy: { type: 'Manual' }, replicas: 1 }), metric: pending }, 10);
    expect(await figures()).not.toHaveProperty('metric_timestamp_seconds');
    expect(await figures()).not.toHaveProperty('metric_target');
  });

  it('the metrics of a group count a transition once although its end is decided again', async () => {
    const under = look(withSpec(look(groupWorld(), 0), { replicas: 3 }), 10);
    const done = ready(look(under, 20));
    look(done, 100);
    look(done, 200);
    expect(await figures()).toMatchObject({ transitions_totalCompleted: 1 });
  });

  it('the metrics of a group do not count transitions that ended before this replica led', async () => {
    const rest = look(ready(look(withSpec(look(groupWorld(), 0), { replicas: 3 }), 10)), 100);
    metrics = new Metrics({ version: '1', commit: 'c', date: 'd' }, () => 0);
    look(rest, 100);
    expect(await figures()).toMatchObject({ size: 3, transitions_totalCompleted: 0 });
  });

  it('the metrics of a group end when it is deleted', async () => {
    look(groupWorld(), 0);
    metrics.groups.forgotten(KEY);
    expect(await figures()).toEqual({});
  });
});

it('the metrics count queries to sources by their result, and time them', async () => {
  metrics.metricAsked({ source: 'default', result: 'sample', ms: 20 });
  metrics.metricAsked({ source: 'default', result: 'empty', ms: 5 });
  const text = await metrics.registry.metrics();
  for (const result of ['sample', 'empty'])
    expect(text).toContain(
      `swarm_operator_metric_requests_total{source="default",result="${result}"} 1`,
    );
  expect(text).toContain(
    'swarm_operator_metric_request_duration_seconds_sum{source="default"} 0.025',
  );
});
