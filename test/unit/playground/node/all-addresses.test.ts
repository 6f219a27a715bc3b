// When does a container's program run below the one that gives it the pod's address?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { Addresses } from '../../../../src/playground/node/addresses.ts';
import {
  type AllAddresses,
  collisionOf,
  commandBefore,
  findAllAddresses,
  isExecutable,
} from '../../../../src/playground/node/containers/all-addresses.ts';
import { defaultImages, findImage } from '../../../../src/playground/node/images.ts';

const own: AllAddresses = { type: 'own', tool: '/tool' };
const shared: AllAddresses = { type: 'shared', reason: 'Go is missing' };
const addresses = (limitation?: string): Addresses => ({
  take: () => '127.9.9.9',
  giveBack: () => undefined,
  limitation,
  close: async () => undefined,
});

it.each<[string, { image: string; command?: string[] }, boolean]>([
  ['a program of this machine', { image: 'debian', command: ['server'] }, true],
  ['our worker', { image: 'swarm-worker:dev' }, false],
  ['another program in our image', { image: 'swarm-worker:dev', command: ['server'] }, true],
])('%s: %j, runs below the program that binds its address: %p', (_, container, isConcerned) => {
  const image = findImage(defaultImages, container.image) ?? { command: [] };
  const named = { name: 'main', ...container };
  const before = isConcerned ? ['/tool', '127.1.2.3'] : [];
  expect(commandBefore(named, image, '127.1.2.3', own)).toEqual(before);
  expect(commandBefore(named, image, '127.1.2.3', shared)).toEqual([]);
  expect(collisionOf([named], defaultImages, own)).toBeUndefined();
  const said = isConcerned ? expect.stringContaining('Go is missing') : undefined;
  expect(collisionOf([named], defaultImages, shared)).toEqual(said);
});

it('no program is sought where pods have no addresses of their own, which is said already', async () => {
  const find = async (): Promise<string> => {
    throw new Error('it was sought');
  };
  expect(await findAllAddresses(addresses('one for all'), find)).toEqual({
    type: 'shared',
    reason: undefined,
  });
});

it('pods share addresses when the program cannot be found, or its trial fails', async () => {
  const unfound = async (): Promise<string> => {
    throw new Error('bind cannot be built: no Go');
  };
  const failing = async (): Promise<string> => 'false';
  expect(await findAllAddresses(addresses(), unfound)).toMatchObject({ type: 'shared' });
  expect(await findAllAddresses(addresses(), failing)).toMatchObject({ type: 'shared' });
});

it('isExecutable finds a program as a shell finds it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'found-'));
  writeFileSync(path.join(folder, 'tool'), '', { mode: 0o755 });
  writeFileSync(path.join(folder, 'text'), '', { mode: 0o644 });
  expect(isExecutable('tool', `/none:${folder}`, '/')).toBe(true);
  expect(isExecutable('./tool', '', folder)).toBe(true);
  expect(isExecutable('tool', '/none', folder)).toBe(false);
  expect(isExecutable('text', folder, '/')).toBe(false);
  expect(isExecutable('tool', folder, '/no-such-folder')).toBe(false);
  rmSync(folder, { recursive: true });
});
