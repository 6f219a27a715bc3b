// Which local cluster does a shell hear of, and what ends it?
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listenForEnd } from '../../../../src/cli/cluster/socket.ts';
import { playground } from '../../../../src/cli/commands/playground.ts';
import { status } from '../../../../src/cli/commands/status.ts';
import { ran } from '../ran.ts';

const ENV = 'export KUBECONFIG=/one';

/** Where PATH has none. */
const swarmctl = fileURLToPath(new URL('../../../../bin/swarmctl', import.meta.url));

const real = { ...process.env };
let folder = '';
let end: (() => Promise<void>) | undefined;

/** Ends as a playground and the demo do: when all is over, `down` is answered. */
async function start(name?: string): Promise<void> {
  const socket = await listenForEnd(ENV, () => void end?.(), name);
  end = async () => {
    end = undefined;
    await socket.close();
  };
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'swarm-socket-'));
  process.env['XDG_CACHE_HOME'] = folder;
  process.env['PATH'] = '/no/such/folder';
});
afterEach(async () => {
  await end?.();
  process.env = { ...real };
  rmSync(folder, { recursive: true });
});

describe('swarmctl playground', () => {
  it.each(['env', 'down'])(
    'swarmctl playground %s says that no playground is up',
    async (request) =>
      expect(await ran(playground, request)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'no playground is running\n',
      }),
  );

  it('swarmctl playground env shows the one that is up, and down ends it', async () => {
    await start();
    expect(await ran(playground, 'env')).toMatchObject({ code: 0, stdout: `${ENV}\n` });
    expect(await ran(playground, 'down')).toMatchObject({
      code: 0,
      stdout: 'the playground has stopped; nothing is left behind\n',
    });
    expect(await ran(playground, 'env')).toMatchObject({ code: 1 });
  });

  it('swarmctl playground up names the running one, how to end it, and the way to a second', async () => {
    await start();
    const says = (command: string): string =>
      `a playground is already running; to use it: eval "$(${command} playground env)"; to end it: ${command} playground down; to run another one beside it: ${command} playground up --name OTHER\n`;
    expect(await ran(playground, 'up')).toEqual({ code: 1, stdout: '', stderr: says(swarmctl) });
    process.env['PATH'] = path.dirname(swarmctl);
    expect((await ran(playground, 'up')).stderr).toBe(says('swarmctl'));
  });

  it('swarmctl playground finds one by its name, beside one without', async () => {
    await start('other');
    expect(await ran(playground, 'env')).toMatchObject({ code: 1 });
    expect((await ran(playground, 'up', '--name', 'other')).stderr).toContain(
      `a playground of the name other is already running; to use it: eval "$(${swarmctl} playground env --name other)"`,
    );
    expect(await ran(playground, 'env', '--name', 'other')).toMatchObject({ stdout: `${ENV}\n` });
    expect(await ran(playground, 'down', '--name', 'other')).toMatchObject({ code: 0 });
    expect((await ran(playground, 'down', '--name', 'other')).stderr).toBe(
      'no playground of the name other is running\n',
    );
  });

  it.each(['../x', 'A', 'a b'])('swarmctl playground refuses the name %j', async (name) =>
    expect(await ran(playground, 'env', '--name', name)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at most 30 lowercase letters, digits and hyphens'),
    }),
  );

  it('swarmctl playground env gives up on a playground that does not answer', async () => {
    await start();
    await end?.();
    const silent: Server = createServer();
    silent.listen(path.join(folder, 'swarm-operator', 'playground.sock'));
    try {
      expect(await ran(playground, 'env')).toMatchObject({ code: 1 });
    } finally {
      silent.close();
    }
  });

  it('swarmctl playground down gives up when the playground does not answer in time', async () => {
    mkdirSync(path.join(folder, 'swarm-operator'));
    const silent: Server = createServer();
    silent.listen(path.join(folder, 'swarm-operator', 'playground.sock'));
    try {
      expect(await ran(playground, 'down', '--timeout', '1s')).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'after 1s (--timeout) still waiting for the playground to end; is its process stopped? `fg` in its terminal continues it\n',
      });
    } finally {
      silent.close();
    }
  });
});

describe('a command that finds no kubeconfig', () => {
  const missing = 'does not exist; name one by --kubeconfig FILE or KUBECONFIG=FILE';
  const hint = ' (a playground is running; to use it: eval "$(SWARMCTL playground env)")'.replace(
    'SWARMCTL',
    swarmctl,
  );
  beforeEach(() => {
    process.env['KUBECONFIG'] = path.join(folder, 'none');
  });

  it('a command that finds no kubeconfig names the playground that is up', async () => {
    await start();
    expect(await ran(status)).toMatchObject({
      code: 2,
      stderr: `the kubeconfig ${folder}/none ${missing}${hint}\n`,
    });
  });

  it('a command that finds no kubeconfig names no playground where none is up', async () =>
    expect((await ran(status)).stderr).toBe(`the kubeconfig ${folder}/none ${missing}\n`));

  it('a command that does not find its --kubeconfig names no playground', async () => {
    await start();
    expect((await ran(status, '--kubeconfig', '/other')).stderr).toBe(
      `the kubeconfig /other ${missing}\n`,
    );
  });
});
