// Which SwarmQueues and SwarmJobs does the API server take? It refuses the others in words.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { apiVersionOf, type Kind, kinds } from '../../../src/api/kinds.ts';
import { isKubeObject, type KubeObject } from '../../../src/api/objects.ts';
import { parseSwarmJob, parseSwarmQueue } from '../../../src/api/validate.ts';
import { jobRefusals, jobSpec } from '../../support/job-refusals.ts';
import { queueRefusals } from '../../support/queue-refusals.ts';
import type { Spec } from '../../support/refusals.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
const namespace = 'hpc';

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.kubectl('create', 'namespace', namespace);
});

afterAll(() => swarm.stop());

const objectOf = (kind: Kind, name: string, spec: Spec): KubeObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, namespace },
  spec,
});

const tried = (kind: Kind, name: string, spec: Spec): Promise<KubeObject> =>
  swarm.api.create(kind, objectOf(kind, name, spec), { isTrial: true });

const example = (file: string): KubeObject => {
  const object = load(readFileSync(new URL(file, import.meta.url), 'utf8'));
  if (!isKubeObject(object)) throw new Error(`${file} is no object`);
  return object;
};

describe('a queue that the API server refuses', () => {
  it.each(queueRefusals)('the API server refuses a queue with %s', async (_, spec, message) => {
    await expect(tried(kinds.SwarmQueue, 'refused', spec)).rejects.toThrow(message);
  });

  it('the API server refuses a queue with a name of 64 characters', async () => {
    await expect(tried(kinds.SwarmQueue, 'x'.repeat(64), { quota: {} })).rejects.toThrow(
      "a queue's name has at most 63 characters, since labels hold it",
    );
  });
});

describe('a job that the API server refuses', () => {
  it.each(jobRefusals)('the API server refuses a job with %s', async (_, spec, message) => {
    await expect(tried(kinds.SwarmJob, 'refused', spec)).rejects.toThrow(message);
  });

  it.each(['3d', 'a.b', 'x'.repeat(55)])(
    'the API server refuses a job with the name %s',
    async (name) => {
      await expect(tried(kinds.SwarmJob, name, jobSpec())).rejects.toThrow(
        `metadata.name ${name} is not allowed: it names a Service and hosts. A small letter first`,
      );
    },
  );
});

describe('what the API server takes', () => {
  it('the API server takes a job with the longest name and the largest size', async () => {
    const spec = jobSpec({ size: 5000 });
    expect((await tried(kinds.SwarmJob, 'x'.repeat(54), spec)).metadata.name).toHaveLength(54);
  });

  it.each([16, 0, '16', '0', '500m', '1.5', '.5', '64Gi', '1e3', '12E', '+4'])(
    'the API server takes a quota with the quantity %s',
    async (amount) => {
      const quota = { pods: amount, 'nvidia.com/gpu': amount };
      expect((await tried(kinds.SwarmQueue, 'taken', { quota }))['spec']).toMatchObject({ quota });
    },
  );

  it('the API server takes a job with image, command and other fields of a pod in its template', async () => {
    const template = {
      spec: {
        nodeSelector: { disk: 'fast' },
        containers: [
          { name: 'main', image: 'busybox', command: ['true'], volumeMounts: [] },
          { name: 'sidecar', image: 'busybox' },
        ],
      },
    };
    const taken = await tried(kinds.SwarmJob, 'taken', { queueName: 'batch', template });
    expect(taken['spec']).toMatchObject({ template });
  });

  it('the API server takes a Flux job without a command that has a deadline', async () => {
    const launcher = { type: 'Flux', port: 8051, tasks: 2 };
    const spec = {
      queueName: 'batch',
      size: 2,
      image: 'busybox',
      activeDeadlineSeconds: 60,
      launcher,
    };
    expect((await tried(kinds.SwarmJob, 'taken', spec))['spec']).toMatchObject(spec);
  });

  it('a queue that sets only its quota gets the defaults of all other fields', async () => {
    const { spec } = parseSwarmQueue(await tried(kinds.SwarmQueue, 'taken', { quota: {} }));
    expect(spec).toEqual({
      ok: true,
      value: {
        quota: {},
        strategy: 'BestEffort',
        maxPriority: 0,
        jobDefaults: { priority: 0 },
        paused: false,
      },
    });
  });

  it('a job that sets only what it must gets the defaults of all other fields', async () => {
    const { spec } = parseSwarmJob(await tried(kinds.SwarmJob, 'taken', jobSpec()));
    expect(spec).toEqual({
      ok: true,
      value: {
        ...jobSpec(),
        size: 1,
        launcher: { type: 'None' },
        retries: { application: 0, other: 10 },
        backoffSeconds: 10,
        suspend: false,
      },
    });
  });
});

describe('the whole example', () => {
  it('the API server takes the whole example of a queue, and kubectl shows its columns', async () => {
    const queue = example('swarmqueue.yaml');
    const created = await swarm.api.create(kinds.SwarmQueue, queue);
    expect(created['spec']).toEqual(queue['spec']);
    const { metadata } = created;
    const written = await swarm.api.replace(kinds.SwarmQueue, { ...queue, metadata }, 'status');
    expect(written['status']).toEqual(queue['status']);
    expect(parseSwarmQueue(written)).toMatchObject({ spec: { ok: true }, status: { pending: 3 } });
    const shown = await swarm.kubectl('-n', namespace, 'get', 'swq', '-o', 'wide');
    expect(shown).toMatch(/^NAME +PENDING +RUNNING +PODS +QUOTA +READY +REASON +STRATEGY/);
    expect(shown).toMatch(/^batch +3 +2 +8 +20 +True +Admitting +BestEffort +False +\w+$/m);
  });

  it('the API server takes the whole example of a job, and kubectl shows its columns', async () => {
    const job = example('swarmjob.yaml');
    const created = await swarm.api.create(kinds.SwarmJob, job);
    expect(created['spec']).toEqual(job['spec']);
    const { metadata } = created;
    const written = await swarm.api.replace(kinds.SwarmJob, { ...job, metadata }, 'status');
    expect(written['status']).toEqual(job['status']);
    expect(parseSwarmJob(written)).toMatchObject({ spec: { ok: true }, status: { attempt: 2 } });
    const shown = await swarm.kubectl('-n', namespace, 'get', 'swj', '-o', 'wide');
    expect(shown).toMatch(/^NAME +STATE +QUEUE +SIZE +READY +REASON +PRIORITY +ATTEMPT +MESSAGE/);
    expect(shown).toMatch(
      /^lammps +Running +batch +4 +4 +AllRanksRunning +0 +2 +4 of 4 ranks run/m,
    );
  });
});

describe('an edit of a job', () => {
  const ref = { namespace, name: 'edited' };
  const spec = jobSpec({
    args: ['-v'],
    env: [{ name: 'A', value: 'x' }],
    template: {
      spec: { nodeSelector: { disk: 'fast' }, containers: [{ name: 'main', tty: false }] },
    },
  });

  const edited = (change: object): Promise<KubeObject> =>
    swarm.api.patch(kinds.SwarmJob, ref, { type: 'merge', body: { spec: change } });

  beforeAll(() => swarm.api.create(kinds.SwarmJob, objectOf(kinds.SwarmJob, ref.name, spec)));

  const became = (state: string): Promise<KubeObject> =>
    swarm.api.patch(kinds.SwarmJob, ref, { type: 'merge', body: { status: { state } } }, 'status');

  describe.each(['Admitted', 'Starting', 'Running', 'Suspending'])('while it is %s', (state) => {
    beforeAll(() => became(state));

    it.each<[string, object]>([
      ['queueName', { queueName: 'other' }],
      ['size', { size: 2 }],
      ['image', { image: 'alpine' }],
      [
        'image',
        { image: null, template: { spec: { containers: [{ name: 'main', image: 'x' }] } } },
      ],
      ['command', { command: ['false'] }],
      ['args', { args: null }],
      ['workingDir', { workingDir: '/tmp' }],
      ['env', { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] }],
      ['resources', { resources: { requests: { cpu: 1 } } }],
      ['template', { template: { metadata: { labels: { a: 'b' } } } }],
      ['template', { template: { spec: { nodeSelector: { disk: 'slow' } } } }],
      ['template', { template: { spec: { nodeSelector: null } } }],
      ['template', { template: { spec: { containers: null, affinity: {} } } }],
      ['template', { template: { spec: { containers: [{ name: 'main', tty: true }] } } }],
      ['launcher', { launcher: { start: 'Together' } }],
      ['deadlineSignalSeconds', { deadlineSignalSeconds: 5 }],
    ])(
      `the API server refuses to change the %s of a job that is ${state}: row %#`,
      async (field, change) => {
        const words = `the job is ${state}; suspend it before you change:`;
        await expect(edited(change)).rejects.toThrow(
          new RegExp(`${words}( \\w+)* ${field}( \\w+)*\\b`),
        );
      },
    );

    it(`the API server refuses to scale a job that is ${state}`, async () => {
      const scaled = swarm.kubectl('-n', namespace, 'scale', 'swj/edited', '--replicas=2');
      await expect(scaled).rejects.toThrow(
        `the job is ${state}; suspend it before you change: size`,
      );
    });

    it(`a job that is ${state} takes edits of its priority, deadlines, retries and times, and can be suspended`, async () => {
      const change = {
        suspend: true,
        priority: 5,
        activeDeadlineSeconds: 7200,
        startTimeoutSeconds: 60,
        retries: { application: 3, other: 0 },
        backoffSeconds: 1,
        ttlSecondsAfterFinished: 0,
      };
      expect((await edited(change))['spec']).toMatchObject({ ...spec, ...change });
      await edited({ suspend: false });
    });
  });

  it.each(['Waiting', 'Suspended', 'Succeeded', 'Failed'])(
    'a job that is %s takes every edit',
    async (state) => {
      await became(state);
      const change = { size: 3, image: 'alpine', template: { spec: { nodeSelector: null } } };
      expect((await edited(change))['spec']).toMatchObject({ size: 3, image: 'alpine' });
      await swarm.kubectl('-n', namespace, 'scale', 'swj/edited', '--replicas=1');
      expect((await edited(spec))['spec']).toMatchObject({ ...spec, size: 1 });
    },
  );
});
