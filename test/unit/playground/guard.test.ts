// What the guard does when its parent ends. Each row starts a parent that watches something.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, living } from '../../support/processes.ts';

interface Announcement {
  readonly guard: number;
  readonly watched: number;
  readonly forgotten: number;
}

const guardModule = path.join(import.meta.dirname, '../../../src/playground/processes/guard.ts');
let folder: string;
let watchedFolder: string;
const strays: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'guard-test-'));
  watchedFolder = path.join(folder, 'watched');
  mkdirSync(path.join(watchedFolder, 'inner'), { recursive: true });
});

afterEach(() => {
  for (const pid of living(strays.splice(0))) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

/**
 * The parent watches a process and a folder, forgets another process, behaves as it is told, and
 * tells which they are.
 */
async function startParent(
  conduct: string,
): Promise<{ parent: ChildProcess; announced: Announcement }> {
  const script = `
    import { spawn } from 'node:child_process';
    import { startGuard } from ${JSON.stringify(guardModule)};
    const guard = await startGuard();
    const sleep = () => { const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }); child.unref(); return child.pid; };
    const watched = sleep(), forgotten = sleep();
    guard.watchProcess(watched);
    guard.watchProcess(forgotten);
    guard.forgetProcess(forgotten);
    guard.watchFolder(${JSON.stringify(watchedFolder)});
    ${conduct}
    console.log(JSON.stringify({ guard: guard.pid, watched, forgotten }));`;
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const announced: Announcement = JSON.parse(line);
  strays.push(announced.watched, announced.forgotten, announced.guard, parent.pid ?? 0);
  return { parent, announced };
}

const stayAlive = 'setInterval(() => undefined, 1_000);';

describe('a parent that ends without a goodbye', () => {
  it.each([
    ['killed', stayAlive, (parent: ChildProcess) => parent.kill('SIGKILL')],
    ['interrupted', stayAlive, (parent: ChildProcess) => parent.kill('SIGINT')],
    ['out of work, so that it exits', '', () => true],
    [
      'out in the middle of its work',
      `${stayAlive} setImmediate(() => process.exit(1));`,
      () => true,
    ],
  ])(
    'the guard of a parent that is %s ends what it watches, not what it forgot',
    async (_, conduct, end) => {
      const { parent, announced } = await startParent(conduct);
      end(parent);
      await eventually('the guard has ended', () => living([announced.guard]).length === 0);
      expect(living([announced.watched])).toEqual([]);
      expect(existsSync(watchedFolder)).toBe(false);
      expect(living([announced.forgotten])).toEqual([announced.forgotten]);
    },
  );
});

it('the guard ends alone when it is closed', async () => {
  const { announced } = await startParent('await guard.close();');
  await eventually('the guard has ended', () => living([announced.guard]).length === 0);
  expect(living([announced.watched])).toEqual([announced.watched]);
  expect(existsSync(watchedFolder)).toBe(true);
});

it('the guard stays when all processes of its terminal get a signal', async () => {
  const { parent, announced } = await startParent(stayAlive);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.kill(announced.guard, signal);
  parent.kill('SIGKILL');
  await eventually('what was watched has ended', () => living([announced.watched]).length === 0);
});

it('a guard that is killed does not end its parent', async () => {
  const { parent, announced } = await startParent(`
    setTimeout(() => undefined, 600_000);
    process.stdin.resume();
    process.on('SIGUSR2', () => { for (let i = 0; i < 3; i++) guard.forgetProcess(1); setTimeout(() => console.log('alive'), 50); });`);
  process.kill(announced.guard, 'SIGKILL');
  await eventually('the guard has ended', () => living([announced.guard]).length === 0);
  parent.kill('SIGUSR2');
  if (parent.stdout === null) throw new Error('no output');
  await once(parent.stdout, 'data');
  expect(parent.exitCode).toBeNull();
});
