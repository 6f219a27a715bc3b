// Is no dump made twice when a node is lost in the middle of the night, but those that it
// interrupted? samples/dump, with some dumps that last, and a record of every process.
import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { type Assignment, readAssignment } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { Overlays } from '../../integration/deploy/overlays.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { mountPath, type Recorder } from '../recorder.ts';
import { newRecorder, type World } from '../world.ts';

const namespace = 'nightly';
const WORKERS = 3;
const nights = ['28', '29', '30', '31'].map((day) => `2026-01-${day}`);
const short = nights.flatMap((night) => [`orders@${night}`, `users@${night}`]);
/** More than workers: each gets one. */
const lasting = nights.map((night) => `events@${night}`);
const dumps = [...short, ...lasting];
const lasts = (dump: string): boolean => lasting.includes(dump);
/** Its file among the records: what lasts may end. */
const END = 'end';

export function dump(world: () => World): void {
  it('a dump that a lost node interrupts runs again, and a completed one does not', async () => {
    const night = await Night.begin(world());
    try {
      await night.loseANode();
    } finally {
      await world().kubectl('delete', 'namespace', namespace, '--wait=false');
    }
  });
}

/** The worker that began a dump last, and how often it has begun so far. */
type Begun = { readonly dump: string; readonly worker: string; readonly runs: number };

class Night {
  readonly recorder: Recorder = newRecorder();
  readonly #world: World;

  private constructor(world: World) {
    this.#world = world;
  }

  static async begin(world: World): Promise<Night> {
    const night = new Night(world);
    const overlays = new Overlays({
      kubectl: (...args) => world.kubectl(...args),
      playground: world.cluster,
    });
    await world.kubectl('apply', '-k', overlays.write('nightly', night.#overlay()));
    overlays.remove();
    return night;
  }

  async loseANode(): Promise<void> {
    await this.#untilRecorded(short);
    // All workers are there, and have nothing to do: each gets some of these.
    await this.#kubectl('wait', '--for=condition=Ready', 'pod', '--all', '--timeout=300s');
    const data = { 'streams.txt': dumps.join('\n') };
    await this.#kubectl('patch', 'configmap/tonight', '--patch', JSON.stringify({ data }));
    const open = '--for=condition=Complete=False';
    await this.#kubectl('wait', open, 'swarmpool/nightly', '--timeout=300s');
    const before = await this.#untilAllRunWhereAssigned();
    const lost = await this.#workerAlone();
    const { name } = lost.metadata;
    const interrupted = before
      .filter(({ dump: it, worker }) => lasts(it) && worker === name)
      .map(({ dump: it }) => it);
    expect(interrupted.length).toBeGreaterThan(0);

    const node = this.#world.cluster.nodeOf(nodeOf(lost));
    await node.silence();
    try {
      await this.#world.signal(lost, 'SIGKILL');
      const start = performance.now();
      this.recorder.put(END);
      await this.#kubectl(
        'wait',
        '--for=condition=Complete',
        'swarmpool/nightly',
        '--timeout=300s',
      );
      note({
        name: `${dumps.length} dumps, the node of one of ${WORKERS} workers lost in the middle: until Complete`,
        value: seconds(secondsSince(start)),
        note: `${interrupted.length} interrupted and made again; a node counts as lost after 40 s, its worker 5 s later`,
      });
      expect(await this.#whyComplete()).toBe('AllCompleted');
      expect(this.#madeAgainSince(before)).toEqual(interrupted);
    } finally {
      await node.revive();
    }
    await this.#kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=300s');
    await this.#kubectl('wait', '--for=condition=Converged', 'swarmpool/nightly', '--timeout=300s');
    expect(this.#madeAgainSince(before)).toEqual(interrupted);
  }

  #kubectl(...args: readonly string[]): Promise<string> {
    return this.#world.kubectl('-n', namespace, ...args);
  }

  async #untilRecorded(wanted: readonly string[]): Promise<void> {
    await eventually(
      `${wanted.length} dumps are recorded as completed`,
      async () => {
        const { completed } = await this.#published();
        return wanted.every((it) => completed?.has(it) === true);
      },
      240,
    );
  }

  /** The only one on its node: while over half of the workers are away, none loses its streams. */
  async #workerAlone(): Promise<KubeObject> {
    const { items } = await this.#world.api.list(kinds.Pod, namespace);
    const found = items.find(
      (pod) => items.filter((it) => nodeOf(it) === nodeOf(pod)).length === 1,
    );
    if (found === undefined) throw new Error('no worker is alone on its node');
    return found;
  }

  /** On a busy machine one may have moved: a worker that answers late counts as lost. */
  async #untilAllRunWhereAssigned(): Promise<readonly Begun[]> {
    let begun: readonly Begun[] = [];
    await eventually('each dump that lasts runs where it is assigned', async () => {
      const { workloads } = await this.#published();
      begun = dumps.map((it) => {
        const workers = this.#workersOf(it);
        return { dump: it, worker: workers.at(-1) ?? '', runs: workers.length };
      });
      return begun.every(
        ({ dump: it, worker }) => !lasts(it) || workloads.get(worker)?.jobs.includes(it) === true,
      );
    });
    return begun;
  }

  #whyComplete(): Promise<string> {
    const reason = '{.status.conditions[?(@.type=="Complete")].reason}';
    return this.#kubectl('get', 'swarmpool/nightly', '-o', `jsonpath=${reason}`);
  }

  /** In order. */
  #workersOf(dump: string): readonly string[] {
    return this.recorder
      .runs()
      .filter(({ stream }) => stream === dump)
      .sort((a, b) => a.startMs - b.startMs)
      .map(({ worker }) => worker);
  }

  /** All others have begun no more often than before, and these once more. */
  #madeAgainSince(before: readonly Begun[]): readonly string[] {
    const more = before.map(({ dump: it, runs }) => ({
      it,
      more: this.#workersOf(it).length - runs,
    }));
    expect(more.filter((each) => each.more > 1)).toEqual([]);
    return more.flatMap((each) => (each.more === 1 ? [each.it] : []));
  }

  async #published(): Promise<Assignment> {
    const place = { namespace, name: 'nightly-assignments' };
    const object = await this.#world.api.get(kinds.ConfigMap, place).catch(() => undefined);
    const read = readAssignment(asString(dig(object, 'data', 'config.yml')) ?? '');
    return read.ok ? read.assignment : { workloads: new Map(), version: 0 };
  }

  /** The sample with a longer list, three workers on both nodes, and dumps that are recorded. */
  #overlay(): object {
    const pod = '/spec/template/spec';
    const container = `${pod}/containers/0`;
    const spread = {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'dump' } },
    };
    const workers = [
      { op: 'replace', path: '/spec/replicas', value: WORKERS },
      { op: 'add', path: `${pod}/topologySpreadConstraints`, value: [spread] },
      { op: 'add', path: `${pod}/volumes/-`, value: this.recorder.volume },
      { op: 'add', path: `${container}/volumeMounts/-`, value: this.recorder.mount },
      { op: 'replace', path: `${container}/args`, value: this.#consumer() },
      { op: 'replace', path: `${container}/resources/limits/memory`, value: '512Mi' },
    ];
    const failover = [{ op: 'add', path: '/spec/workers/failover', value: { timeoutSeconds: 5 } }];
    return {
      namespace,
      resources: ['repository/samples/dump'],
      configMapGenerator: [
        {
          name: 'tonight',
          namespace: 'swarm',
          behavior: 'merge',
          literals: [`streams.txt=${short.join('\n')}`],
        },
      ],
      patches: [
        { target: { kind: 'StatefulSet' }, patch: JSON.stringify(workers) },
        { target: { kind: 'SwarmPool' }, patch: JSON.stringify(failover) },
      ],
    };
  }

  /** The sample's own dump; some wait before it. */
  #consumer(): readonly string[] {
    const text = `${this.recorder.program}
      const { existsSync } = process.getBuiltinModule('node:fs');
      const waiting = setInterval(() => {
        if (stream.startsWith('events@') && !existsSync(folder + '/${END}')) return;
        clearInterval(waiting);
        import('/app/dump/dump.mjs').then(() => { beat(); process.exit(0); });
      }, 100);
    `;
    const node = ['node', '--disable-warning=ExperimentalWarning', '--eval', text];
    return ['--', ...node, mountPath, '{stream}', '{worker}'];
  }
}

const nodeOf = (pod: KubeObject): string => asString(dig(pod, 'spec', 'nodeName')) ?? '';
