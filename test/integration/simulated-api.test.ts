// Does the simulated API server answer like the real one? The same exchanges with both, compared.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../src/api/kinds.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { pods } from '../sim/api-exchanges/pods.ts';
import { Recorder } from '../sim/api-exchanges/recorder.ts';
import { schema } from '../sim/api-exchanges/schema.ts';
import { subresources } from '../sim/api-exchanges/subresources.ts';
import { writes } from '../sim/api-exchanges/writes.ts';
import { ApiServer } from '../sim/cluster/api-server.ts';
import { MemoryApi } from '../support/memory-api.ts';
import { eventually } from '../support/processes.ts';
import { Swarm } from './support/swarm.ts';

const serviceAccounts: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

let swarm: Swarm;
let count = 0;

beforeAll(async () => {
  swarm = await Swarm.start({ nodes: 0 });
});

afterAll(() => swarm.stop());

const exchanges = [...writes, ...pods, ...subresources, ...schema];

describe('the simulated API server', () => {
  it.each(exchanges.map((it) => [it.name, it] as const))(
    'the simulated API server answers like the real one: %s',
    async (_, exchange) => {
      count += 1;
      const namespace = `talk-${count}`;
      await swarm.api.create(kinds.Namespace, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      // The API server creates no pod before its service account exists.
      await eventually(
        'the service account exists',
        async () => (await swarm.api.list(serviceAccounts, namespace)).items.length > 0,
      );
      const real = new Recorder(swarm.api, namespace);
      const simulated = new Recorder(
        new MemoryApi(systemClock, new ApiServer(systemClock)),
        namespace,
      );
      await exchange.run(real);
      await exchange.run(simulated);
      expect(simulated.transcript).toEqual(real.transcript);
    },
  );
});
