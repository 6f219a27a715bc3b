// Does kubectl work with SwarmPools: explain, get, wait, scale, describe?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/processes.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let pool: Pool;
const streams = names(4);

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  const spec = { workers: { selector: { matchLabels: { app: 'worker' } }, scaling: 'Lead' } };
  pool = await swarm.pool('hand', { streams, workers: 2, spec });
});

afterAll(() => swarm.stop());

const kubectl = (...args: readonly string[]): Promise<string> =>
  swarm.kubectl('-n', 'hand', ...args);
const wait = (what: string, name: string): Promise<string> =>
  kubectl('wait', `--for=${what}`, name, '--timeout=120s');
const words = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('kubectl', () => {
  beforeAll(async () => {
    const isExplained = (): Promise<boolean> =>
      kubectl('explain', 'swarmpool').then(
        () => true,
        () => false,
      );
    await eventually('the schema of a served CRD lacks no part', isExplained);
  });

  it.each([
    ['', 'A SwarmPool assigns every stream of a list to exactly one worker'],
    ['.spec.handoff', 'What happens when a stream moves from one worker to another.'],
    [
      '.spec.handoff.type',
      'The new worker gets the stream after the old one has confirmed that it stopped',
    ],
    ['.spec.handoff.type', 'ENUM: AtLeastOnce Exclusive'],
    ['.spec.handoff.type', 'Default: AtLeastOnce.'],
    ['.spec.workers.failover', 'Seconds before other workers take over.'],
    ['.spec.streams.weight', "The part of a worker's capacity that is reserved for this stream"],
    ['.status.workers.state', 'Missing: it has no pod, or was unavailable for too long.'],
  ])('kubectl explain swarmpool%s describes the field', async (field, text) => {
    expect(words(await kubectl('explain', `swarmpool${field}`))).toContain(text);
  });

  it('kubectl explain --recursive shows every field', async () => {
    const text = await kubectl('explain', 'swarmpool', '--recursive');
    for (const field of ['drainTimeoutSeconds', 'spreadGroup', 'maxUnavailable', 'convergenceTime'])
      expect(text).toContain(field);
  });

  it('kubectl wait --for=condition returns when the condition holds', async () => {
    expect(await wait('condition=Converged', 'swarmpool/tv')).toBe(
      'swarmpool.k8slab.info/tv condition met\n',
    );
    await wait('condition=Ready', 'swp/tv');
    await wait('condition=Stalled=False', 'swp/tv');
  });

  it('kubectl scale changes the number of workers, also with a precondition', async () => {
    await wait('jsonpath={.spec.workers.replicas}=2', 'swp/tv');
    await expect(
      kubectl('scale', 'swarmpool/tv', '--current-replicas=7', '--replicas=1'),
    ).rejects.toThrow('Expected replicas to be 7, was 2');
    await kubectl('scale', 'swp/tv', '--current-replicas=2', '--replicas=3');
    await pool.converged(streams, 3);
  });

  it('kubectl wait does not return for a condition from before a change', async () => {
    await pool.streams([...streams, 'late']);
    await wait('condition=Converged', 'swarmpool/tv');
    expect((await pool.running()).flatMap(({ jobs }) => jobs)).toContain('late');
  });

  it('kubectl get shows the columns, and more of them with -o wide', async () => {
    await wait('condition=Ready', 'swarmpool/tv');
    expect(await kubectl('get', 'swarmpools')).toMatch(
      /^NAME +VERSION +STREAMS +WORKERS +CONVERGED +FAILING +READY +REASON +AGE\ntv +\d+ +5 +3 +3 +0 +True +AllConfirmed +\w+\n$/,
    );
    expect(await kubectl('get', 'swp', '-o', 'wide')).toMatch(
      /^NAME +VERSION +STREAMS +WORKERS +CONVERGED +FAILING +READY +REASON +UNASSIGNED +DOWN +COMPLETED +COMPLETE +MOVES +TARGET +AGE\ntv +\d+ +5 +3 +3 +0 +True +AllConfirmed +0 +0 +\d+ +StatefulSet\/worker +\w+\n$/,
    );
    for (const category of ['all', 'swarm'])
      expect(await kubectl('get', category, '-o', 'name')).toContain('swarmpool.k8slab.info/tv');
  });

  it('kubectl describe shows conditions and events', async () => {
    const text = words(await kubectl('describe', 'swarmpool', 'tv'));
    expect(text).toContain('3 workers confirmed version');
    expect(text).toMatch(
      /Normal Published \S+ k8slab.info\/swarm-operator version \d+: 0 streams moved, 1 new, 0 gone \(StreamsChanged\)/,
    );
    expect(text).toMatch(/Normal Scaled .* StatefulSet\/worker 2 -> 3: more workers/);
  });

  it('kubectl annotate pauses and resumes a pool: status shows the plan, and no object changes', async () => {
    await kubectl('annotate', 'swarmpool/tv', 'k8slab.info/paused=true');
    const before = await pool.published();
    await pool.streams(streams);
    const status = await pool.until('shows its plan', ({ plan }) => plan?.total === 1);
    expect(status.plan?.moves).toMatchObject([{ stream: 'late', reason: 'StreamsChanged' }]);
    expect(await pool.condition('Ready')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    expect((await pool.published()).object.metadata.resourceVersion).toBe(
      before.object.metadata.resourceVersion,
    );
    await kubectl('annotate', 'swarmpool/tv', 'k8slab.info/paused-');
    await pool.converged(streams, 3);
  });
});
