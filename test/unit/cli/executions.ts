// Commands that run through an API server at a local port, with TLS, for a user with a token.
import { createServer } from 'node:https';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type ExecStreams, execute } from '../../../src/cli/cluster/exec.ts';
import type { PooledKubeConfig } from '../../../src/runtime/client/config.ts';
import { configOf, listen, localServers } from '../../support/local-servers.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { ExecServer } from './exec-server.ts';

const TOKEN = 'a-token';

/** By method: to requests that ask for no WebSocket. Empty: the connection breaks. */
export type PlainAnswers = Readonly<Record<string, readonly [] | readonly [number, string]>>;

type Options = {
  readonly pingMs?: number;
  readonly isTerminal?: boolean;
  /** The end of the address of the API server. */
  readonly suffix?: string;
};

/** To be called where hooks may be set. */
export function executions() {
  const { folder } = localServers();
  const api = { answers: {} as PlainAnswers };
  const server = createServer(selfSigned(folder, 'api'), ({ method = '', headers }, response) => {
    const isUser = headers.authorization === `Bearer ${TOKEN}`;
    const answer = isUser ? api.answers[method] : ([401, 'Unauthorized'] as const);
    const [code, message] = answer ?? [400, 'Upgrade request required'];
    if (code === undefined) return void response.destroy();
    response.statusCode = code;
    response.end(JSON.stringify({ kind: 'Status', message }));
  });
  const upgrades = new ExecServer(server);
  const configs: PooledKubeConfig[] = [];
  let url = '';

  beforeAll(async () => {
    url = await listen(server);
  });

  afterEach(async () => {
    upgrades.breakConnections();
    upgrades.reset();
    api.answers = {};
    for (const config of configs.splice(0)) await config.closeConnections();
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const executing = (script: string, streams: Partial<ExecStreams> = {}, options: Options = {}) => {
    const { pingMs, isTerminal = false, suffix = '' } = options;
    const all = { stdin: undefined, stdout: new PassThrough(), stderr: new PassThrough() };
    const config = configOf(`${url}${suffix}`, { token: TOKEN });
    configs.push(config);
    const pod = { namespace: 'swarm', name: 'sim-0-abcde' };
    const words = ['/bin/sh', '-c', script];
    const executed = { pod, container: 'main', isTerminal, words };
    return { ...all, end: execute(config, executed, { ...all, ...streams }, pingMs) };
  };

  return { api, upgrades, executing };
}
