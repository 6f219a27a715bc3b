// swarmctl on a cluster with the operator at work: what it says is what is so, and what it does not say it does not touch.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { names, type Pool, Swarm } from '../pool/swarm.ts';
import { swarmctlOn, type Told } from './swarmctl.ts';

const namespace = 'cli';
const streams = names(6);
let swarm: Swarm;
let pool: Pool;
let swarmctl: (...args: readonly string[]) => Promise<Told>;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  pool = await swarm.pool(namespace, { streams, workers: 2 });
  await pool.converged(streams, 2);
  swarmctl = swarmctlOn(swarm.playground.plane.kubeconfig);
}, 300_000);

afterAll(() => swarm.stop());

const inNamespace = (...args: readonly string[]): Promise<Told> => swarmctl(...args, '-n', namespace);

describe('plan', () => {
  it('has nothing to do where all is at rest', async () => {
    const { code, stdout } = await inNamespace('plan', 'tv');
    expect(stdout).toContain('SwarmPool cli/tv: 6 streams, nothing would change');
    expect(code).toBe(0);
  });

  it('foretells what scaling then does, and touches nothing', async () => {
    const before = await pool.published();
    const { code, stdout } = await inNamespace('plan', 'tv', '--workers', '3', '-o', 'json');
    expect(code).toBe(0);
    const plan = JSON.parse(stdout) as { moves: { stream: string; to: string }[] };
    expect(plan.moves).toHaveLength(2);
    expect((await pool.published()).object.metadata.resourceVersion).toBe(before.object.metadata.resourceVersion);
    await pool.scale(3);
    await pool.converged(streams, 3);
    const { slices } = await pool.published();
    expect(plan.moves.map(({ stream }) => stream).sort()).toEqual([...(slices.get('worker-2')?.jobs ?? [])].sort());
  });

  it('of a file shows what applying it would do', async () => {
    const file = { apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmPool', metadata: { name: 'tv', namespace } };
    const spec = { streams: [...streams, 'x'].map((name) => ({ name })), workers: { selector: { matchLabels: { app: 'worker' } } } };
    const { code, stdout } = await swarmctl('plan', '-f', swarm.file({ ...file, spec }), '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ moves: [{ stream: 'x', why: 'it is new in the list' }], stay: 6 });
    expect(code).toBe(0);
  });

  it('of a pool that would take the workers of another says so', async () => {
    const file = { apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmPool', metadata: { name: 'rival', namespace } };
    const spec = { streams: [{ name: 'x' }], workers: { targetRef: { name: 'worker' } } };
    const { code, stdout } = await swarmctl('plan', '-f', swarm.file({ ...file, spec }));
    expect(stdout).toContain('TargetConflict: SwarmPool tv is older');
    expect(code).toBe(1);
  });

  it.each([
    [['plan', 'nobody'], 'there is no SwarmPool nobody in namespace cli'],
    [['plan', 'tv', '--context', 'no'], 'there is no context "no" in the kubeconfig'],
    [['plan', 'tv', '--remove', 'no'], 'not among the 6 streams'],
  ])('%j cannot be told', async (args, says) => {
    const { code, stderr } = await inNamespace(...args);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});
