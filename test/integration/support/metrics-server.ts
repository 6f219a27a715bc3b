// A server that answers queries as a Prometheus does, or as the test says. Over TLS, to who has the
// token.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { selfSigned } from '../../../src/playground/node/certificate.ts';

/** As the body of an answer; undefined: the connection is closed. */
type Answer = (query: string) => { readonly status?: number; readonly body: string } | undefined;

export type MetricsServer = {
  /** For `--metric-sources-file`. */
  readonly file: string;
  readonly token: string;
  /** Host and port. */
  readonly address: string;
  /** Of each request, in order. */
  readonly queries: string[];
  answer: Answer;
  close(): Promise<void>;
};

export const valueIs = (value: number, ageSeconds = 0): { readonly body: string } => ({
  body: JSON.stringify({
    status: 'success',
    data: {
      resultType: 'vector',
      result: [{ metric: {}, value: [Date.now() / 1000 - ageSeconds, String(value)] }],
    },
  }),
});

export async function serveMetrics(namespaces: readonly string[]): Promise<MetricsServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-metrics-'));
  const identity = selfSigned('metrics', ['127.0.0.1']);
  const token = 'hunter2.hunter2';
  const [caFile, tokenFile] = [path.join(folder, 'ca.crt'), path.join(folder, 'token')];
  const file = path.join(folder, 'sources.yaml');
  const queries: string[] = [];
  const server = createServer(identity, ({ url, headers }, response) => {
    const { pathname, searchParams } = new URL(url ?? '', 'https://metrics');
    const query = searchParams.get('query') ?? '';
    queries.push(query);
    if (headers.authorization !== `Bearer ${token}` || pathname !== '/api/v1/query') {
      response.writeHead(401).end();
      return;
    }
    const answer = served.answer(query);
    if (answer === undefined) response.destroy();
    else response.writeHead(answer.status ?? 200).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const address = `127.0.0.1:${port}`;
  writeFileSync(caFile, identity.cert);
  writeFileSync(tokenFile, token);
  const source = { name: 'default', address: `https://${address}`, caFile, tokenFile, namespaces };
  writeFileSync(file, JSON.stringify({ sources: [source] }));
  const served: MetricsServer = {
    ...{ file, token, address, queries },
    answer: () => valueIs(0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
  return served;
}
