import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '../../../src/api/observed.ts';
import { parseSwarmPool } from '../../../src/api/validate.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, settled, withConfigMap } from '../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  stepsOf,
  versionOf,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);

function ownConfigMap(at: PoolWorld): ConfigMap {
  const configMap = at.published.shards[0]?.configMap;
  if (configMap === undefined) throw new Error('nothing is published');
  return configMap;
}

describe('what blocks a pool', () => {
  const stalledWith = (at: PoolWorld) => conditionOf(carriedOut(at, decide(at)), 'Stalled');

  it('a duplicate name is reported with both places', () => {
    expect(stalledWith(world({ streams: ['a', 'b', 'a'] }))).toMatchObject({
      reason: 'InvalidStreams',
      message: 'spec.streams[2].name: "a" is already defined in spec.streams[0]',
    });
  });

  it.each(['a"b', 'a\\b', 'a\nb', 'a<b', ' a', 'größe', ''])(
    '%j is refused as the name of a parameter, and the published assignment stays',
    (name) => {
      const rest = settled(world());
      const at = withStreams(rest, [
        { name: 'a' },
        { name: 'b', parameters: { url: 'x', [name]: 'y' } },
      ]);
      expect(stalledWith(at)).toMatchObject({
        reason: 'InvalidStreams',
        message: `spec.streams[1].parameters: the name ${JSON.stringify(name)} is not allowed; allowed are 1 to 253 letters, digits, '-', '_' and '.'; the published assignment stays in force`,
      });
      expect(jobsOf(carriedOut(at, decide(at)))).toEqual(jobsOf(rest));
    },
  );

  it('a name of a parameter that is too long is shown in part', () => {
    const stalled = stalledWith(
      world({ streams: [{ name: 'a', parameters: { ['x'.repeat(100_000)]: 'y' } }] }),
    );
    expect(stalled?.message).toMatch(
      /^spec\.streams\[0\]\.parameters: the name "x{100}…" is not allowed.{10,100}$/,
    );
  });

  it('a spec that the schema refuses is explained', () => {
    expect(stalledWith(world({ spec: { overcommit: 'Maybe' } }))).toMatchObject({
      reason: 'InvalidSpec',
      message:
        'spec.overcommit: must be equal to one of the allowed values: ["Deny","Allow"] (found "Maybe")',
    });
  });

  it('a pool without its target waits for it, and keeps what was published', () => {
    const at = { ...settled(world()), targets: [], pods: [] };
    const next = carriedOut(at, decide(at));
    expect(conditionOf(next, 'Ready')).toMatchObject({ status: 'False', reason: 'TargetNotFound' });
    expect(conditionOf(next, 'Stalled')?.status).toBe('False');
    expect(jobsOf(next)).toEqual(jobsOf(at));
  });

  it('a pool is Stalled when an older pool has the same target', () => {
    expect(stalledWith({ ...world(), rival: 'older' })).toMatchObject({ reason: 'TargetConflict' });
  });

  it.each([
    ['a ConfigMap of another owner is a conflict', {}, {}, 'AssignmentsConflict'],
    [
      "a placeholder that already has the pool's key is a conflict",
      { 'k8slab.info/pool': 'tv' },
      { 'config.yml': '' },
      'AssignmentsConflict',
    ],
    [
      'a placeholder is taken over, and keeps its other keys',
      { 'k8slab.info/pool': 'tv' },
      { other: 'x' },
      undefined,
    ],
  ])('%s', (_, annotations, data, reason) => {
    const at = world();
    const configMap = {
      name: 'tv-assignments',
      namespace: 'swarm',
      uid: 'theirs',
      resourceVersion: '1',
      labels: {},
      annotations,
      data,
    };
    const there = withConfigMap(at, configMap);
    const next = carriedOut(there, decide(there));
    expect(reason === undefined ? versionOf(next) : conditionOf(next, 'Stalled')?.reason).toBe(
      reason ?? 1,
    );
    if (reason === undefined) expect(next.published.shards[0]?.configMap.data['other']).toBe('x');
  });

  it("a ConfigMap whose label a user removed stays the pool's own", () => {
    const at = settled(world());
    const bare = withConfigMap(at, { ...ownConfigMap(at), labels: {} });
    expect(versionOf(settled(bare))).toBe(1);
    expect(versionOf(settled(withStreams(bare, 5)))).toBe(2);
  });

  it('a version in status that no operator can have reached is ignored', () => {
    const at = settled(world());
    const status = { ...at.pool.status, version: Number.MAX_SAFE_INTEGER };
    const object = { apiVersion: '', kind: '', metadata: { name: 'tv' }, spec: {}, status };
    expect(parseSwarmPool(object).status).toBeUndefined();
  });

  it('a Stalled pool is neither Ready nor Reconciling, even if workers have yet to confirm', () => {
    const at = withStreams(settled(world()), ['a', 'a']);
    const next = carriedOut(
      { ...at, answers: {} },
      decide({ ...at, answers: {}, ages: { ...at.ages, publishedMs: 10_000 } }),
    );
    expect(
      ['Stalled', 'Reconciling', 'Ready', 'Converged'].map(
        (type) => conditionOf(next, type)?.status,
      ),
    ).toEqual(['True', 'False', 'False', 'False']);
  });

  it('a mended list ends Stalled', () => {
    const bad = world({ streams: ['a', 'a'] });
    const stalled = carriedOut(bad, decide(bad));
    const mended = settled(withStreams(stalled, ['a', 'b']));
    expect(conditionOf(mended, 'Stalled')?.status).toBe('False');
    expect(conditionOf(mended, 'Ready')?.status).toBe('True');
  });
});

describe('a write that is refused', () => {
  const refused = { reason: 'Forbidden', message: 'pods "worker-0" is forbidden' };

  it('a refused write is reported in status before the next try, and status describes what is published', () => {
    const at = { ...withStreams(settled(world()), 5), refused };
    const decision = decide(at);
    expect(stepsOf(decision).slice(0, 3)).toEqual(['status', 'event', 'patch']);
    expect(decision.steps[1]).toMatchObject({
      event: {
        type: 'Warning',
        reason: 'WriteRefused',
        message: 'Forbidden: pods "worker-0" is forbidden',
      },
    });
    const told = carriedOut(at, { ...decision, steps: decision.steps.slice(0, 1) });
    expect(conditionOf(told, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'WriteRefused',
      message: 'Forbidden: pods "worker-0" is forbidden',
    });
    expect(told.pool.status?.version).toBe(1);
    expect(stepsOf(decide(told))[0]).toBe('patch');
  });

  it('a refused write is forgotten once a write succeeds', () => {
    const at = { ...withStreams(settled(world()), 5), refused };
    expect(conditionOf(settled({ ...settled(at), refused: undefined }), 'Ready')?.status).toBe(
      'True',
    );
  });
});

describe('Mounted', () => {
  it('the condition Mounted says what the target mounts and what the pool writes', () => {
    expect(
      conditionOf(settled(world({ mounts: ['dev-tv-assignments'] })), 'Mounted'),
    ).toMatchObject({
      status: 'False',
      message: 'StatefulSet/worker mounts dev-tv-assignments, but the pool writes tv-assignments',
    });
  });
});
