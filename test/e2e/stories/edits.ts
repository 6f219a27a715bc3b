// Does Exclusive hold while users edit the pool, and is status true meanwhile? A witness probes
// every pod, again and again.
import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import { create, type Pool } from '../../integration/support/pool.ts';
import { names, type Shape, workload } from '../../integration/support/shape.ts';
import { violationTexts, Witness } from '../../support/witness.ts';
import { note, seconds } from '../figures.ts';
import type { Recorder } from '../recorder.ts';
import type { RecordedShape, World } from '../world.ts';

const streams = names(8);
const fenced: Pick<RecordedShape, 'args' | 'volumes'> = {
  args: ['--assigned-file', '/etc/podinfo/assigned', '--stop-grace', '60s'],
  volumes: [
    {
      name: 'podinfo',
      downwardAPI: {
        items: [
          {
            path: 'assigned',
            fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" },
          },
        ],
      },
    },
  ],
};
const exclusive = { handoff: { type: 'Exclusive' } };

export function edits(world: () => World): void {
  it('workers of an earlier StatefulSet release their streams first when the pool names another one', async () => {
    const scene = await Scene.set(world(), 'retargeted', {
      workers: 2,
      spec: { ...exclusive, workers: { targetRef: { name: 'worker' } } },
    });
    await scene.addSet('other', 2);
    const start = performance.now();
    await scene.pool.edit({ workers: { targetRef: { name: 'other' } } });
    await scene.ready('StatefulSet/other');
    scene.tell('targetRef a -> b, Exclusive, 8 streams: Ready again', start);
    expect(await scene.running()).toEqual({ other: streams });
    await scene.end();
  });

  it('workers of a StatefulSet that leaves the selector release their streams first', async () => {
    const scene = await Scene.set(world(), 'relabelled', { workers: 2, spec: exclusive });
    await scene.addSet('other', 2);
    await scene.ready('StatefulSet/other,StatefulSet/worker');
    const start = performance.now();
    await world().kubectl('-n', scene.pool.namespace, 'label', 'statefulset/other', 'app-');
    await scene.ready('StatefulSet/worker');
    scene.tell('a StatefulSet leaves the selector, Exclusive: Ready again', start);
    expect(await scene.running()).toEqual({ worker: streams });
    await scene.end();
  });

  it('a pool that shrinks is not Ready until streams that stop slowly have stopped', async () => {
    const scaling = {
      workers: { selector: { matchLabels: { app: 'worker' } }, scaling: 'Lead', replicas: 3 },
    };
    const scene = await Scene.set(world(), 'shrunk', {
      workers: 3,
      spec: { ...exclusive, ...scaling },
      lingerMs: 8_000,
    });
    const start = performance.now();
    await world().kubectl('-n', scene.pool.namespace, 'scale', 'swarmpool/tv', '--replicas=2');
    await world().kubectl(
      '-n',
      scene.pool.namespace,
      'wait',
      'swarmpool/tv',
      '--for=condition=Ready=False',
      '--timeout=60s',
    );
    await scene.pool.converged(streams, 2, 240);
    scene.tell('3 -> 2 workers whose streams take 8 s to stop: Ready again', start);
    expect(secondsSince(start)).toBeGreaterThan(8);
    await scene.end();
  });

  it('status names the pod that may hold streams when its node dies and the pool shrinks', async () => {
    const scene = await Scene.set(world(), 'lost', { workers: 4, spec: exclusive });
    const { pool } = scene;
    const lost = await world().api.get(kinds.Pod, { namespace: pool.namespace, name: 'worker-3' });
    const node = world().cluster.nodeOf(asString(dig(lost, 'spec', 'nodeName')) ?? '');
    await node.silence();
    await world().signal(lost, 'SIGKILL');
    await world().kubectl(
      '-n',
      pool.namespace,
      'wait',
      'pod/worker-3',
      '--for=condition=Ready=False',
      '--timeout=240s',
    );
    await pool.scale(3);
    const told = await pool.until(
      'status names the pod that may hold streams',
      ({ conditions = [] }) =>
        conditions.some(
          ({ type, status, message }) =>
            type === 'Ready' && status === 'False' && message.includes('worker-3 Releasing'),
        ),
    );
    expect(told.conditions?.find(({ type }) => type === 'Converged')?.status).toBe('False');
    await node.revive();
    await pool.converged(streams, 3, 300);
    await scene.end();
  });
}

class Scene {
  readonly pool: Pool;
  readonly #world: World;
  readonly #recorder: Recorder;
  readonly #shape: Shape;
  readonly #witness: Witness;

  private constructor(
    world: World,
    pool: Pool,
    recorder: Recorder,
    shape: Shape,
    witness: Witness,
  ) {
    this.#world = world;
    this.pool = pool;
    this.#recorder = recorder;
    this.#shape = shape;
    this.#witness = witness;
  }

  static async set(
    world: World,
    namespace: string,
    shape: Omit<RecordedShape, 'streams' | 'args' | 'volumes'>,
  ): Promise<Scene> {
    const [pool, recorder, whole] = await world.recordedPool(namespace, {
      streams,
      ...fenced,
      ...shape,
    });
    await pool.converged(streams, shape.workers, 240);
    const { kubeconfig } = world.cluster.plane;
    return new Scene(world, pool, recorder, whole, await Witness.start({ kubeconfig, namespace }));
  }

  /** Like the first, all Ready. */
  async addSet(name: string, workers: number): Promise<void> {
    const { namespace } = this.pool;
    await create(
      this.#world.api,
      kinds.StatefulSet,
      namespace,
      name,
      workload({ ...this.#shape, workers }),
    );
    await this.#world.kubectl(
      '-n',
      namespace,
      'rollout',
      'status',
      `statefulset/${name}`,
      '--timeout=240s',
    );
  }

  /** For this target, and of the present spec. */
  async ready(target: string): Promise<void> {
    const { namespace } = this.pool;
    const { generation } = (await this.#world.api.get(kinds.SwarmPool, { namespace, name: 'tv' }))
      .metadata;
    const isReady = (of: {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    }): boolean =>
      of.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    await this.pool.until(
      `is Ready with ${target}`,
      (status) =>
        status.target === target && status.observedGeneration === generation && isReady(status),
      240,
    );
  }

  /** StatefulSet -> the streams that its workers report. */
  async running(): Promise<Readonly<Record<string, readonly string[]>>> {
    const bySet = Map.groupBy(await this.pool.running(), ({ name }) =>
      name.slice(0, name.lastIndexOf('-')),
    );
    const jobs = [...bySet].map(
      ([set, workers]) => [set, workers.flatMap((worker) => worker.jobs).sort()] as const,
    );
    return Object.fromEntries(jobs.filter(([, found]) => found.length > 0));
  }

  tell(name: string, start: number): void {
    note({ name, value: seconds(secondsSince(start)) });
  }

  /** No stream had two processes, and no status claimed more than was true. */
  async end(): Promise<void> {
    const report = await this.#witness.end();
    expect(report.statuses).toBeGreaterThan(0);
    expect(report.answers).toBeGreaterThan(0);
    expect(violationTexts(report)).toEqual([]);
    expect(this.#recorder.overlaps()).toEqual([]);
    await this.#world.kubectl('delete', 'namespace', this.pool.namespace, '--wait=false');
  }
}
