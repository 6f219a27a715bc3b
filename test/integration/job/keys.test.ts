// Where do the keys of a job stand, and who gets them? On a real API server, with the
// permissions and policies of the operator.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, type KubeObject } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { type Job, makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

const namespace = 'keys';

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--kinds', 'queues,jobs', '--log-level', 'debug');
  await makeQueue(swarm, namespace, { pods: '2' });
});

afterAll(() => swarm.stop());

const secrets = async (): Promise<readonly KubeObject[]> =>
  (await swarm.api.list(kinds.Secret, namespace)).items;

it.each([
  ['MPI', ['host_key', 'host_key.pub', 'user_key', 'user_key.pub']],
  ['Flux', ['curve.cert']],
])(
  '%s: each attempt has keys of its own, which nothing else shows, and which go with it',
  async (type, files) => {
    const job: Job = await makeJob(swarm, namespace, 'sim', {
      size: 2,
      launcher: { type },
      // The shells of this machine need neither sshd nor flux for that.
      command: ['sh', '-c', 'exit 1'],
      retries: { application: 1 },
      backoffSeconds: 1,
    });
    const seen = new Map<string, Readonly<Record<string, unknown>>>();
    await eventually('two attempts have had keys', async () => {
      for (const { metadata, type, data } of (await secrets()) as readonly (KubeObject & {
        readonly type?: string;
        readonly data?: object;
      })[]) {
        expect(type).toBe('k8slab.info/job-keys');
        expect(metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(['Job']);
        seen.set(metadata.name, asRecord(data) ?? {});
      }
      return seen.size === 2;
    });
    const contents = [...seen.values()];
    for (const keys of contents) expect(Object.keys(keys).sort()).toEqual(files);
    const all = contents.flatMap((keys) => Object.values(keys).map(String));
    expect(new Set(all).size).toBe(2 * files.length);
    await job.kubectl('wait', '--for=condition=Finished', 'swarmjob/sim', '--timeout=60s');

    const shown = [
      swarm.logs(),
      await job.kubectl('get', 'swarmjobs,jobs,pods,services,configmaps,events', '-o', 'yaml'),
      await swarm.kubectl('-n', 'swarm-operator', 'get', 'configmaps,events', '-o', 'yaml'),
    ].join('\n');
    for (const encoded of all) {
      const text = Buffer.from(encoded, 'base64').toString();
      const lines = text.split('\n').filter((line) => line.length > 40);
      for (const line of [encoded, ...lines]) expect(shown.includes(line)).toBe(false);
    }
    await job.kubectl('delete', 'swarmjob', 'sim');
    await eventually('no keys are left', async () => (await secrets()).length === 0);
  },
);
