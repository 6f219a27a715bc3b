// Where do the keys of a job stand, and who gets them? On a real API server, with the
// permissions and policies of the operator.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, type KubeObject } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { claimPorts, type PortClaim } from '../../../src/playground/processes/ports.ts';
import { eventually } from '../../support/processes.ts';
import { type Job, makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

const namespace = 'keys';

let swarm: Swarm;
let operator: OperatorProcess;
let claim: PortClaim;

beforeAll(async () => {
  swarm = await Swarm.start();
  claim = await claimPorts(1);
  const shows = ['--introspection-port', String(claim.first), '--log-level', 'debug'];
  operator = await swarm.operator('--kinds', 'queues,jobs', ...shows);
  await makeQueue(swarm, namespace, { pods: '2' });
});

afterAll(async () => {
  await swarm?.stop();
  await claim?.release();
});

/** The answers of the operator on its three ports. */
const answers = (): Promise<readonly string[]> =>
  Promise.all(
    [
      `${operator.metricsPort}/metrics`,
      `${operator.healthPort}/internal/health`,
      `${claim.first}/api/v1/queues`,
      `${claim.first}/api/v1/queues/${namespace}/batch`,
    ].map(async (it) => {
      const { statusCode, body } = await request(`http://127.0.0.1:${it}`);
      expect(statusCode).toBe(200);
      return body.text();
    }),
  );

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
      ...(await answers()),
      await job.kubectl('get', 'swarmjobs,jobs,pods,services,configmaps,events', '-o', 'yaml'),
      await swarm.kubectl('-n', 'swarm-operator', 'get', 'configmaps,events', '-o', 'yaml'),
    ].join('\n');
    for (const encoded of all) {
      const text = Buffer.from(encoded, 'base64').toString();
      const words = text.match(/[^\s"]{40,}/g) ?? [];
      for (const word of [encoded, ...words]) expect(shown.includes(word)).toBe(false);
    }
    await job.kubectl('delete', 'swarmjob', 'sim');
    await eventually('no keys are left', async () => (await secrets()).length === 0);
  },
);
