// What does a worker answer to harm the operator?
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { readAssigned } from '../../src/api/assignment.ts';
import { Random } from '../sim/random.ts';
import type { Victim } from './tenant.ts';

export const answers = [
  'slow',
  'endless',
  'millions',
  'wrong',
  'redirect',
  'lies',
  'future',
  'reset',
  'silent',
  'headers',
  'packed',
  'flapping',
] as const;
export type Answering = (typeof answers)[number];

/** What a worker knows about itself when it answers. */
export type Self = {
  readonly uid: string;
  readonly assigned: string | undefined;
  readonly victim: Victim;
};

const TRICKLE_MS = 300;
const chance = new Random(Date.now() >>> 0);

const millions = Buffer.from(
  JSON.stringify({
    version: 1,
    jobs: Array.from({ length: 2_000_000 }, (_, index) => `j${index.toString(36)}`),
  }),
);
const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
const chunk = Buffer.alloc(64 * 1024, '[1,');

const wrong = [
  'null',
  '[]',
  '"x"',
  '{}',
  '',
  '<html>',
  '{"version":"9"}',
  '{"version":1e400}',
  '{"version":-1}',
  '{"version":1.5,"jobs":{}}',
  '{"version":1,"jobs":[null,1,{},[]]}',
  '{"version":1,"jobs":"abc"}',
  '{"version":1,"__proto__":{"jobs":["x"]},"podUid":{}}',
  `{"version":1,"read":${'9'.repeat(5_000)}}`,
  '['.repeat(500_000),
  `{"version":1,"jobs":["${'x'.repeat(900_000)}"]}`,
  '\u0000\ufffd{"version":1}',
];

const redirects = [
  'http://169.254.169.254/latest/meta-data',
  'https://kubernetes.default.svc/api/v1/secrets',
  '/internal/version',
  'file:///etc/passwd',
  '//',
];

const truth = ({ uid, assigned }: Self): string =>
  JSON.stringify({ version: readAssigned(assigned)?.version ?? 1, podUid: uid });

export function answer(
  how: string,
  self: Self,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const json = { 'content-type': 'application/json' };
  const { victim } = self;
  switch (how) {
    case 'slow': {
      response.writeHead(200, json);
      const trickle = setInterval(() => response.write(' '), TRICKLE_MS);
      response.on('close', () => clearInterval(trickle));
      return;
    }
    case 'endless':
      Readable.from(
        (function* () {
          for (;;) yield chunk;
        })(),
      ).pipe(response.writeHead(200, json));
      return;
    case 'millions':
      response.writeHead(200, json).end(millions);
      return;
    case 'wrong':
      response
        .writeHead(chance.pick([200, 200, 200, 204, 404, 500, 599]), json)
        .end(chance.pick(wrong));
      return;
    case 'redirect':
      response.writeHead(chance.pick([301, 302, 307]), { location: chance.pick(redirects) }).end();
      return;
    case 'lies':
      response.writeHead(200, json).end(
        JSON.stringify({
          version: chance.between(1, 50),
          podUid: chance.pick(victim.podUids),
          jobs: ['h0', 'h1'],
        }),
      );
      return;
    case 'future':
      response
        .writeHead(200, json)
        .end(
          `{"version":${chance.pick(['1000000000000', '999999999999', '9007199254740993', '1000000', '5000000'])},"podUid":"${self.uid}","jobs":[]}`,
        );
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'silent':
      return;
    case 'headers':
      request.socket.write(
        `HTTP/1.1 200 OK\r\n${`x-${'h'.repeat(1_000)}: ${'v'.repeat(1_000)}\r\n`.repeat(500)}`,
      );
      return;
    case 'packed':
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(packed);
      return;
    case 'flapping':
      response.writeHead(200, json).end(
        JSON.stringify({
          version: chance.between(1, 9),
          podUid: self.uid,
          jobs: [`x${chance.between(0, 1e9)}`],
        }),
      );
      return;
    default:
      response.writeHead(200, json).end(truth(self));
  }
}
