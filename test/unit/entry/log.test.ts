import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import winston from 'winston';
import { makeLog } from '../../../src/log.ts';

/** The log's output for this message and these facts. */
async function written(
  logFormat: 'json' | 'text',
  message: string,
  facts: object,
): Promise<string> {
  const log = makeLog({ logLevel: 'info', logFormat });
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  log.clear().add(new winston.transports.Stream({ stream }));
  log.info(message, facts);
  await new Promise((resolve) => log.end(resolve));
  return lines.join('');
}

const facts = { kind: 'SwarmPool', namespace: 'swarm', name: 'tv', version: 9 };

describe('a log', () => {
  it('the log has one JSON object a line in a cluster, with all fields', async () => {
    expect(JSON.parse(await written('json', 'done', facts))).toMatchObject({
      level: 'info',
      message: 'done',
      ...facts,
    });
  });

  it('the log has readable lines on a terminal', async () => {
    expect(await written('text', 'done', facts)).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}done kind=SwarmPool namespace=swarm name=tv version=9\n$/,
    );
  });

  it.each(['json', 'text'] as const)('the log hides secrets at any depth (%s)', async (format) => {
    const secrets = {
      token: 'hush',
      nested: {
        Authorization: 'Bearer hush',
        list: [{ 'client-key-data': 'hush', password: 'hush' }],
      },
    };
    const line = await written(format, 'asked', secrets);
    expect(line).not.toContain('hush');
    expect(line).toContain('(hidden)');
  });
});
