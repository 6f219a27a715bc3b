// Ports are claimed by one process, and free again after it.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { claimPorts, type PortClaim } from '../../../src/playground/processes/ports.ts';

const claims: PortClaim[] = [];

afterEach(async () => {
  for (const claim of claims.splice(0)) await claim.release();
});

async function claim(count: number, random?: () => number): Promise<number> {
  const made = await claimPorts(count, random);
  claims.push(made);
  return made.first;
}

async function occupy(port: number): Promise<() => Promise<void>> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

it('claimPorts gives free ports below those of outgoing connections and node ports', async () => {
  const first = await claim(4);
  const free = await Promise.all([0, 1, 2, 3].map((offset) => occupy(first + offset)));
  for (const leave of free) await leave();
  expect(first).toBeGreaterThan(20_000);
  expect(first + 3).toBeLessThan(30_000);
});

it('claimPorts gives no port twice when many claim at once', async () => {
  const firsts = await Promise.all(Array.from({ length: 20 }, () => claim(4, () => 0.5)));
  const sorted = firsts.sort((a, b) => a - b);
  for (const [index, first] of sorted.slice(1).entries())
    expect(first - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(4);
});

it('a claim without listeners is kept until it is released', async () => {
  const random = (): number => 0.25;
  const made = await claimPorts(2, random);
  expect(await claim(2, random)).not.toBe(made.first);
  await made.release();
  expect(await claim(2, random)).toBe(made.first);
});

it('claimPorts skips a block when one of its ports is taken', async () => {
  const random = (): number => 0.75;
  const made = await claimPorts(3, random);
  await made.release();
  const leave = await occupy(made.first + 2);
  expect(await claim(3, random)).not.toBe(made.first);
  await leave();
});

it('claimPorts refuses to claim more than a block', async () => {
  await expect(claimPorts(8)).rejects.toThrow('at most 7 ports');
});
