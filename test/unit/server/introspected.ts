// Introspection of an operator that observed what the test gives it, served over HTTP.
import { type IncomingMessage, request as rawRequest } from 'node:http';
import { afterEach, beforeEach } from '@jest/globals';
import type { GroupWorld } from '../../../src/group/world.ts';
import type { Served } from '../../../src/http/bounded-server.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { decideQueues } from '../../../src/queue/decide.ts';
import { keyOfQueues, type QueueWorld } from '../../../src/queue/world.ts';
import { type AllSnapshots, noSnapshots } from '../../../src/server/introspection/kinds.ts';
import { serveIntrospection } from '../../../src/server/introspection/serve.ts';
import * as groupWorlds from '../../support/group-worlds.ts';
import { carriedOut } from '../../support/pool-decisions.ts';
import { NOW } from '../../support/pool-worlds.ts';
import * as queueWorlds from '../../support/queue-worlds.ts';

export const POOL = '/api/v1/pools/swarm/tv';
export const GROUP = '/api/v1/groups/swarm/shop';
export const QUEUE = '/api/v1/queues/hpc/batch';

type Told = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: unknown;
};
type Question = { readonly method?: string; readonly headers?: Record<string, string> };

export type Introspected = {
  readonly snapshots: AllSnapshots;
  isLeading: boolean;
  port(): number;
  /** Decides on a world as the operator would, and returns the world that follows. */
  see(at: PoolWorld): PoolWorld;
  seeGroup(at: GroupWorld): GroupWorld;
  /** `afterMs`: since the beginning of that world. */
  seeQueues(at: QueueWorld, afterMs?: number): void;
  ask(path: string, question?: Question): Promise<Told>;
  body(path: string): Promise<unknown>;
};

/** A new one for each test. */
export function introspected(): Introspected {
  let snapshots: AllSnapshots;
  let served: Served;

  const ask = (path: string, { method = 'GET', headers = {} }: Question = {}): Promise<Told> =>
    new Promise((resolve, reject) => {
      const sent = rawRequest(
        { host: '127.0.0.1', port: served.port, path, method, headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: JSON.parse(text || 'null'),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end();
    });

  const operator: Introspected = {
    get snapshots() {
      return snapshots;
    },
    isLeading: true,
    port: () => served.port,
    see: (at) => {
      const decision = decidePool(at, NOW);
      snapshots.pools.decided('swarm/tv', { world: at, decision, now: NOW });
      return carriedOut(at, decision);
    },
    seeGroup: (at) => {
      const decision = groupWorlds.decide(at);
      const now = groupWorlds.NOW + at.monotonicMs;
      snapshots.groups.decided('swarm/shop', { world: at, decision, now });
      return groupWorlds.carriedOut(at, decision);
    },
    seeQueues: (at, afterMs = 0) => {
      const now = queueWorlds.NOW + afterMs;
      const decision = decideQueues(at, now);
      snapshots.queues.decided(keyOfQueues('hpc'), { world: at, decision, now });
    },
    ask,
    body: async (path) => (await ask(path)).body,
  };
  beforeEach(async () => {
    snapshots = noSnapshots();
    operator.isLeading = true;
    served = await serveIntrospection(0, { snapshots, isLeading: () => operator.isLeading });
  });
  afterEach(() => served.close());
  return operator;
}

/** A path that is answered, for a path of the description. */
export const questionOf = (path: string): string =>
  path
    .replace('groups/{namespace}/{name}', 'groups/swarm/shop')
    .replace('queues/{namespace}/{name}', 'queues/hpc/batch')
    .replace('{namespace}/{name}', 'swarm/tv')
    .replace('{worker}', 'worker-0')
    .replace('{stream}', 'a')
    .replace(/\/plan$/, '/plan?workers=3');
