// Which local cluster does a shell hear of, and what ends it?
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listenForEnd } from '../../../../src/cli/cluster/socket.ts';
import { playground } from '../../../../src/cli/commands/playground.ts';
import { status } from '../../../../src/cli/commands/status.ts';
import { ran } from '../ran.ts';

const ENV = 'export KUBECONFIG=/one';

const real = { ...process.env };
let folder = '';
let end: (() => Promise<void>) | undefined;

/** Ends as a playground and the demo do: when all is over, `down` is answered. */
async function start(): Promise<void> {
  const socket = await listenForEnd(ENV, () => void end?.());
  end = async () => {
    end = undefined;
    await socket.close();
  };
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'swarm-socket-'));
  process.env['XDG_CACHE_HOME'] = folder;
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
});

describe('a command that finds no kubeconfig', () => {
  const missing = 'does not exist; name one by --kubeconfig FILE or KUBECONFIG=FILE';
  const hint = ' (a playground is running; to use it: eval "$(swarmctl playground env)")';
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
