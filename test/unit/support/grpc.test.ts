// Responses of etcd, split anywhere, and its failures.
import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { expect, it } from '@jest/globals';
import { bytesOf, callGrpc } from '../../support/etcd/grpc.ts';

const framed = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

async function asked(answer: (stream: ServerHttp2Stream) => void): Promise<readonly Buffer[]> {
  const server = createServer();
  server.on('stream', answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  try {
    return await callGrpc(`http://127.0.0.1:${address.port}`, '/service/Method', {});
  } finally {
    server.close();
  }
}

const respondWith =
  (parts: readonly Buffer[], trailers: Record<string, string>) =>
  (stream: ServerHttp2Stream): void => {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    for (const part of parts) stream.write(part);
    stream.end();
  };

it('callGrpc separates messages, wherever the server splits them', async () => {
  const messages = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(100_000, 'x')];
  const body = Buffer.concat(messages.map(framed));
  const parts = [
    body.subarray(0, 3),
    body.subarray(3, 9),
    body.subarray(9, 40_000),
    body.subarray(40_000),
  ];
  expect(await asked(respondWith(parts, { 'grpc-status': '0' }))).toEqual(messages);
});

it.each([
  [
    'at the end',
    respondWith([framed(Buffer.from('half'))], { 'grpc-status': '14', 'grpc-message': 'gone' }),
    'status 14: gone',
  ],
  [
    'at once',
    (stream: ServerHttp2Stream) => stream.respond({ 'grpc-status': '12' }, { endStream: true }),
    'status 12',
  ],
  [
    'in other words',
    (stream: ServerHttp2Stream) => stream.respond({ ':status': 404 }, { endStream: true }),
    'status 404',
  ],
  ['by an end without a word', respondWith([], {}), 'status 200'],
  ['by breaking off', (stream: ServerHttp2Stream) => stream.session?.destroy(), /./],
])('callGrpc throws when the server fails %s', async (_, answer, says) => {
  await expect(asked(answer)).rejects.toThrow(says);
});

it('callGrpc reports a refused connection', async () => {
  await expect(callGrpc('http://127.0.0.1:1', '/service/Method', {})).rejects.toThrow(
    'ECONNREFUSED',
  );
});

it('bytesOf finds a field behind numbers and other fields', () => {
  const message = Buffer.from([0x0a, 2, 8, 1, 0x10, 0xac, 0x02, 0x1a, 3, 7, 8, 9, 0x22, 1, 65]);
  expect([1, 2, 3, 4, 5].map((field) => bytesOf(message, field).toString('hex'))).toEqual([
    '0801',
    '',
    '070809',
    '41',
    '',
  ]);
  expect(() => bytesOf(Buffer.from([0x09, 1]), 3)).toThrow('wire type 1');
});
