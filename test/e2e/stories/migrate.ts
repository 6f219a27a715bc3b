// Does docs/how-to/migrate.md keep its promise? Its steps on a real node, with a record of every
// process.
import { expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { Overlays } from '../../integration/deploy/overlays.ts';
import { eventually } from '../../support/processes.ts';
import { note } from '../figures.ts';
import type { Recorder, Run } from '../recorder.ts';
import { isReady, newRecorder, type World } from '../world.ts';

const cams: Readonly<Record<string, readonly string[]>> = {
  'cams-0': ['door', 'lift', 'yard'],
  'cams-1': ['front', 'roof'],
  'cams-2': ['gate', 'shop'],
};
const all = Object.values(cams).flat();

/** A process records its beginning a moment after it was started. */
const RECORDED_MS = 2_000;

export function migrate(world: () => World): void {
  it('no stream runs twice in a migration, or is missing longer than its pod takes to be Ready', async () => {
    const scene = new Scene(world());
    await scene.apply('before');
    await scene.untilRuns(1, all);
    await scene.apply('pool');
    await scene.wait('--for=jsonpath={.status.version}=1');

    await scene.apply('after');
    await scene.wait('--for=jsonpath={.status.convergedReplicas}=1');
    await scene.untilRuns(2, cams['cams-2'] ?? []);
    expect(scene.runsOf('door')).toHaveLength(1);

    await scene.letAll();
    await scene.wait('--for=jsonpath={.status.convergedReplicas}=3');
    await scene.wait('--for=condition=Ready');
    await scene.untilRuns(2, all);
    scene.expectGaps('migrated: pods of 3 replaced, one at a time');

    await scene.apply('unpinned');
    await scene.wait('--for=condition=Ready');
    await scene.adopt('hall');
    expect(all.map((cam) => scene.runsOf(cam).length)).toEqual(all.map(() => 2));

    await scene.apply('pool');
    await scene.wait('--for=jsonpath={.status.streams.total}=7');
    await scene.wait('--for=condition=Ready');
    await scene.undo();
    await scene.untilRuns(3, all);
    scene.expectGaps('undone: the former pods again');
    expect(scene.overlaps()).toEqual([]);
    await scene.end();
  });
}

class Scene {
  readonly #world: World;
  readonly #recorder: Recorder = newRecorder();
  readonly #overlays: Overlays;
  /** By UID: when this pod was seen to be Ready, on the clock of the records. */
  readonly #readyMs = new Map<string, { readonly pod: string; readonly ms: number }>();

  constructor(world: World) {
    this.#world = world;
    this.#overlays = new Overlays({
      kubectl: (...args) => world.kubectl(...args),
      playground: world.cluster,
    });
  }

  /** A folder of samples/migrate, whose consumers record that they run. */
  async apply(folder: string): Promise<void> {
    await this.#kubectl('apply', '-k', this.#recorded(folder));
  }

  async wait(condition: string): Promise<void> {
    await this.#seeing(this.#kubectl('wait', 'swarmpool/cams', condition, '--timeout=240s'));
  }

  async letAll(): Promise<void> {
    const patch = { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } };
    await this.#kubectl('patch', 'statefulset', 'cams', '-p', JSON.stringify(patch));
    await this.#rolledOut();
  }

  async undo(): Promise<void> {
    await this.apply('before');
    await this.#rolledOut();
  }

  /** From a Deployment of its own. */
  async adopt(cam: string): Promise<void> {
    await this.apply('single');
    await this.untilRuns(1, [cam]);
    await this.#kubectl('delete', 'deployment', `cam-${cam}`, '--cascade=foreground');
    const added = [{ op: 'add', path: '/spec/streams/-', value: { name: cam } }];
    await this.#kubectl('patch', 'swarmpool', 'cams', '--type=json', '-p', JSON.stringify(added));
    await this.untilRuns(2, [cam]);
  }

  async untilRuns(count: number, streams: readonly string[]): Promise<void> {
    const what = `${streams.join(', ')}: ${count} processes so far`;
    await this.#seeing(
      eventually(what, () => streams.every((it) => this.runsOf(it).length === count), 240),
    );
  }

  runsOf(stream: string): readonly Run[] {
    return this.#recorder
      .runs()
      .filter((run) => run.stream === stream)
      .sort((a, b) => a.startMs - b.startMs);
  }

  overlaps(): readonly unknown[] {
    return this.#recorder.overlaps();
  }

  /** Of the last change of each stream's process. */
  expectGaps(what: string): void {
    const changes = Object.entries(cams).flatMap(([pod, streams]) =>
      streams.map((stream) => {
        const [before, now] = this.runsOf(stream).slice(-2);
        if (before === undefined || now === undefined) throw new Error(`${stream} never changed`);
        const ready = [...this.#readyMs.values()].findLast((seen) => seen.pod === pod)?.ms ?? 0;
        return {
          stream,
          workers: [before.worker, now.worker],
          gapMs: now.startMs - before.endMs,
          podMs: ready - before.endMs,
        };
      }),
    );
    expect(changes.map(({ workers }) => workers)).toEqual(
      Object.entries(cams).flatMap(([pod, streams]) => streams.map(() => [pod, pod])),
    );
    expect(changes.filter(({ gapMs, podMs }) => gapMs > podMs + RECORDED_MS)).toEqual([]);
    const longest = (of: readonly number[]): string => `${(Math.max(...of) / 1000).toFixed(1)} s`;
    note({
      name: what,
      value: `no stream longer than ${longest(changes.map(({ gapMs }) => gapMs))} without a process`,
      note: `until the pod was Ready: at most ${longest(changes.map(({ podMs }) => podMs))}; two processes for one stream: ${this.overlaps().length === 0 ? 'never' : this.overlaps().length}`,
    });
  }

  async end(): Promise<void> {
    await this.#kubectl('delete', 'swarmpool/cams');
    // Returns when its pods are gone, too.
    await this.#kubectl('delete', 'statefulset/cams', '--cascade=foreground');
    await this.#kubectl('delete', 'configmap/cams', 'configmap/cams-assignments');
    this.#overlays.remove();
  }

  #kubectl(...args: readonly string[]): Promise<string> {
    return this.#world.kubectl('-n', 'swarm', ...args);
  }

  #rolledOut(): Promise<unknown> {
    const status = ['rollout', 'status', 'statefulset/cams', '--timeout=240s'];
    return this.#seeing(this.#kubectl(...status));
  }

  /** The folder as it is, or with the records mounted and the consumer that writes them. */
  #recorded(folder: string): string {
    const base = `repository/samples/migrate/${folder}`;
    if (folder === 'pool' || folder === 'unpinned')
      return this.#overlays.write(folder, { resources: [base] });
    const op = 'add';
    const spec = '/spec/template/spec';
    const patch = JSON.stringify([
      { op, path: `${spec}/volumes/-`, value: this.#recorder.volume },
      { op, path: `${spec}/containers/0/volumeMounts/-`, value: this.#recorder.mount },
    ]);
    const consumer = { name: 'cams', namespace: 'swarm', behavior: 'merge' };
    return this.#overlays.write(folder, {
      resources: [base],
      patches: [{ target: { kind: 'StatefulSet|Deployment' }, patch }],
      ...(folder === 'before' && {
        configMapGenerator: [{ ...consumer, literals: [`record.mjs=${this.#recorder.module}`] }],
      }),
    });
  }

  /** Notes meanwhile when pods become Ready. */
  async #seeing<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const { items } = await this.#world.api.list(kinds.Pod, 'swarm');
      for (const pod of items) this.#see(pod);
    }
    return done;
  }

  #see(pod: KubeObject): void {
    const { uid = '', name } = pod.metadata;
    if (isReady(pod) && !this.#readyMs.has(uid))
      this.#readyMs.set(uid, { pod: name, ms: Number(process.hrtime.bigint()) / 1e6 });
  }
}
