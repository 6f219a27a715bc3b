import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from '@jest/globals';
import type { Launcher } from '../../../src/worker/launch/launcher.ts';
import { createProcessTrees } from '../../../src/worker/launch/process-trees.ts';
import { createProcesses } from '../../../src/worker/launch/processes.ts';
import { job } from '../../unit/worker/builders.ts';
import { isAlive, until } from './worker.ts';

type Seen = {
  readonly processes: Launcher;
  readonly events: string[];
  readonly output: () => string;
};
let processes: Launcher | undefined;

afterEach(() => processes?.killAll());

/** Each stream's name is the shell script that it runs. */
function running(...scripts: readonly string[]): Seen {
  const events: string[] = [];
  let output = '';
  processes = createProcesses({
    commandFor: ({ stream }) => ({
      ok: true,
      command: { file: 'sh', args: ['-c', stream], env: process.env },
    }),
    onEvent: (_, event) =>
      events.push(event.type === 'Exited' ? `Exited ${event.code}` : event.type),
    write: (line) => {
      output += line.toString();
    },
  });
  for (const script of scripts) processes.start(job(script));
  return { processes, events, output: () => output };
}

/** What it starts beside itself, as soon as that has become this program. */
const daemonOf = async ({ output }: Seen, program: string): Promise<number> => {
  const pid = Number(
    await until('the daemon has a number', () => /daemon (\d+)/.exec(output())?.[1]),
  );
  await until(`it is ${program}`, () => (runs(pid, program) ? true : undefined));
  return pid;
};

const runs = (pid: number | undefined, program: string): boolean =>
  readFileSync(`/proc/${pid}/comm`, 'utf8') === `${program}\n`;

const seen = (events: readonly string[], last: string): Promise<true> =>
  until(last, () => (events.includes(last) ? true : undefined));

it('a process starts, ends and is gone, in this order', async () => {
  const { events, output } = running('echo hello; exit 3');
  await seen(events, 'Gone');
  expect(events).toEqual(['Started', 'Exited 3', 'Gone']);
  expect(output()).toBe('["echo hello; exit 3"] hello\n');
});

it('is not gone before its children are', async () => {
  const { events, processes: all } = running('sleep 600 & exit 0');
  await seen(events, 'Exited 0');
  expect(events).toEqual(['Started', 'Exited 0']);
  all.signal('sleep 600 & exit 0', 'SIGTERM');
  await seen(events, 'Gone');
});

it('a start that was taken back before its turn never happens', async () => {
  const { events, processes: all } = running('echo never', 'echo later');
  all.signal('echo never', 'SIGTERM');
  expect(events).toEqual(['Gone']);
  await until('the other has ended', () => (events.length === 4 ? true : undefined));
  expect(events).toEqual(['Gone', 'Started', 'Exited 0', 'Gone']);
});

it('refuses a second process of a stream, before its turn and after', async () => {
  const { processes: all, events } = running('sleep 600');
  expect(() => all.start(job('sleep 600'))).toThrow('still there');
  await seen(events, 'Started');
  expect(() => all.start(job('sleep 600'))).toThrow('still there');
});

it('starts nothing any more when all was killed', async () => {
  const { processes: all, events } = running('echo never');
  all.killAll();
  all.start(job('echo later'));
  await seen(events, 'Gone');
  expect(events).toEqual(['Started', 'Exited 0', 'Gone']);
});

it('is not gone before a daemon is that went into a session of its own; asked to end, that one ends too', async () => {
  const script = 'setsid sleep 600 & echo "daemon $!"; exit 0';
  const it = running(script);
  const { events, processes: all } = it;
  await seen(events, 'Exited 0');
  const daemon = await daemonOf(it, 'sleep');
  expect(isAlive(daemon)).toBe(true);
  expect(events).toEqual(['Started', 'Exited 0']);
  all.signal(script, 'SIGTERM');
  await seen(events, 'Gone');
  expect(isAlive(daemon)).toBe(false);
});

it('kills what left the group and is deaf, and what that one starts meanwhile', async () => {
  const script = `setsid sh -c "trap '' TERM; while :; do setsid sleep 0.05 & sleep 0.02; done" & echo "daemon $!"; exit 0`;
  const it = running(script);
  const { events, processes: all } = it;
  await seen(events, 'Exited 0');
  const daemon = await daemonOf(it, 'sh');
  all.signal(script, 'SIGTERM');
  all.signal(script, 'SIGKILL');
  await seen(events, 'Gone');
  expect(isAlive(daemon)).toBe(false);
});

it('killed as the last resort, nothing of it is left, wherever it went', async () => {
  const it = running('setsid sleep 600 & echo "daemon $!"; exec sleep 600');
  const daemon = await daemonOf(it, 'sleep');
  it.processes.killAll();
  await until('it has ended', () => (isAlive(daemon) ? undefined : true));
});

it('a daemon that hid itself, with a session of its own and no environment, delays the end by a moment only', async () => {
  const { events, output } = running('env -i setsid sleep 600 & echo "$!"');
  await seen(events, 'Gone');
  process.kill(Number(/] (\d+)/.exec(output())?.[1]), 'SIGKILL');
});

it('a group of which only a zombie is left has ended', async () => {
  // The child gets a group of its own and ends with its input; by then its parent is a program that
  // never collects it (a shell may collect what ended before it became that program).
  const script = 'exec 3<&0; setsid cat <&3 & echo "$!"; exec sleep 600';
  const parent = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    let output = '';
    parent.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const zombie = await until('the child has a number', () => /^(\d+)\n/.exec(output)?.[1]).then(
      Number,
    );
    await until('the parent no longer collects, the child is itself', () =>
      runs(parent.pid, 'sleep') && runs(zombie, 'cat') ? true : undefined,
    );
    parent.stdin.end();
    await until('it is a zombie', () => (isAlive(zombie) ? undefined : true));
    expect(process.kill(-zombie, 0)).toBe(true);
    await createProcessTrees().ended({ group: zombie, run: 'none', startedAt: 0 });
  } finally {
    parent.kill('SIGKILL');
  }
});
