// Can a playground be started in one terminal, and used and ended from another?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { familyOf, listProcesses } from '../../../src/playground/processes/processes.ts';
import { program, swarmctlOn, type Told } from '../../integration/cli/swarmctl.ts';
import { binariesFolder } from '../../support/binaries-folder.ts';
import { eventually, living } from '../../support/processes.ts';

let folder = '';
let env: NodeJS.ProcessEnv = {};
let swarmctl: (...args: readonly string[]) => Promise<Told>;

beforeAll(async () => {
  const binaries = await binariesFolder();
  folder = mkdtempSync(path.join(tmpdir(), 'swarmctl-'));
  // A cache folder of its own, so that no other running playground is found.
  env = { ...process.env, XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: binaries };
  swarmctl = swarmctlOn('/no/such/file', env);
});

afterAll(() => rmSync(folder, { recursive: true }));

it('a playground runs until `down`, and leaves nothing behind', async () => {
  expect(await swarmctl('playground', 'down')).toMatchObject({
    code: 1,
    stderr: 'swarmctl playground: no playground is running\n',
  });
  const up = spawn(process.execPath, [...program, 'playground', 'up', '--nodes', '2'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(up, 'exit');
  let told = '';
  up.stdout.on('data', (data) => {
    told += String(data);
  });
  await eventually('it says how to use it', () => told.includes('playground down'));
  const { stdout } = await swarmctl('playground', 'env');
  const kubeconfig = /^export KUBECONFIG=(\S+)$/m.exec(stdout)?.[1] ?? '';
  expect(told).toMatch(/^eval "\$\(\S*swarmctl playground env\)"/m);
  expect(await swarmctlOn(kubeconfig)('status', '-A')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the cluster has no SwarmPools'),
  });
  expect(await swarmctl('playground', 'up')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a playground is already running'),
  });
  const pids = familyOf(new Set([up.pid ?? 0]), listProcesses()).map(({ pid }) => pid);
  expect(pids.length).toBeGreaterThan(3);
  expect(await swarmctl('playground', 'down')).toMatchObject({
    code: 0,
    stdout: 'the playground has stopped; nothing is left behind\n',
  });
  expect(await ended).toEqual([0, null]);
  await eventually('nothing of it lives', () => living(pids).length === 0);
});

it('swarmctl playground refuses an unknown action', async () => {
  expect(await swarmctl('playground', 'sideways')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('allowed are up, down and env'),
  });
});
