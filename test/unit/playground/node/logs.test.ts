import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimAddresses } from '../../../../src/playground/node/addresses.ts';
import { selfSigned } from '../../../../src/playground/node/certificate.ts';
import { ContainerLog, type LogQuery } from '../../../../src/playground/node/containers/logs.ts';

let dir: string;
let log: ContainerLog;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'logs-'));
  log = new ContainerLog(path.join(dir, 'main/0.log'));
});
afterEach(() => {
  log.close();
  rmSync(dir, { recursive: true });
});

const everything: LogQuery = {
  follow: false,
  timestamps: false,
  tailLines: undefined,
  limitBytes: undefined,
  since: undefined,
};

async function read(
  query: Partial<LogQuery> = {},
  signal = new AbortController().signal,
): Promise<string> {
  let text = '';
  for await (const part of log.read({ ...everything, ...query }, signal)) text += part;
  return text;
}

const write = (text: string): void => log.write('stdout', Buffer.from(text));

describe('a container log', () => {
  it('a container log keeps lines whole when they arrive in parts', async () => {
    write('on');
    log.write('stderr', Buffer.from('error\n'));
    write('e\ntwo\n');
    write('three');
    log.close();
    expect(await read()).toBe('error\none\ntwo\nthree');
  });

  it.each<[string, Partial<LogQuery>, RegExp]>([
    ['shows the last lines', { tailLines: 2 }, /^two\nthree\n$/],
    ['shows none of them', { tailLines: 0 }, /^$/],
    [
      'shows when each was written',
      { timestamps: true, tailLines: 1 },
      /^\d{4}-\d\d-\d\dT[\d:.]+Z three\n$/,
    ],
    ['stops at a number of bytes', { limitBytes: 6 }, /^one\ntw$/],
    ['begins at a time', { since: new Date(Date.now() + 3_600_000) }, /^$/],
  ])('a container log %s', async (_, query, wanted) => {
    write('one\ntwo\nthree\n');
    expect(await read(query)).toMatch(wanted);
  });

  it('a container log is followed without a gap until the container ends', async () => {
    write('before\n');
    const followed = read({ follow: true });
    write('meanwhile\n');
    await new Promise(setImmediate);
    write('after\n');
    log.close();
    expect(await followed).toBe('before\nmeanwhile\nafter\n');
  });

  it('a container log is followed until the reader aborts', async () => {
    const reader = new AbortController();
    const followed = read({ follow: true }, reader.signal);
    write('seen\n');
    setImmediate(() => reader.abort());
    expect(await followed).toBe('seen\n');
  });

  it('a container log cuts an endless line into parts', async () => {
    write('x'.repeat(40_000));
    log.close();
    expect(await read()).toBe('x'.repeat(40_000));
  });
});

it('claimAddresses gives no address twice, and reuses a free one last', async () => {
  const place = [Math.random(), Math.random()];
  const drawer =
    (drawn = [...place]) =>
    () =>
      drawn.shift() ?? Math.random();
  const [one, two] = [await claimAddresses(drawer()), await claimAddresses(drawer())];
  const first = one.take();
  const second = one.take();
  expect(first).not.toBe(second);
  one.giveBack(first ?? '');
  expect([first, second]).not.toContain(one.take());
  expect(two.take()?.split('.').slice(0, 3)).not.toEqual(first?.split('.').slice(0, 3));
  // All 254, and then none.
  for (let taken = 2; taken < 254; taken += 1) expect(one.take()).toBeDefined();
  expect(one.take()).toBeUndefined();
  await Promise.all([one.close(), two.close()]);
});

it('selfSigned makes a valid certificate with the name', () => {
  const certificate = new X509Certificate(selfSigned('alpha').cert);
  expect(certificate.subject).toBe('CN=alpha');
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
});
