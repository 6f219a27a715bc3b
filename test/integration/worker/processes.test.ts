import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from '@jest/globals';
import type { ProcessEvent } from '../../../src/worker/decide/stream.ts';
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

/** The processes that it started, as soon as they run this program. */
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

it('a process reports Started, Exited and Gone, in this order', async () => {
  const { events, output } = running('echo hello; exit 3');
  await seen(events, 'Gone');
  expect(events).toEqual(['Started', 'Exited 3', 'Gone']);
  expect(output()).toBe('["echo hello; exit 3"] hello\n');
});

it('a process reports how it ended, and its last line on standard error', async () => {
  const told: ProcessEvent[] = [];
  processes = createProcesses({
    commandFor: ({ stream }) => ({
      ok: true,
      command: { file: 'sh', args: ['-c', stream], env: process.env },
    }),
    onEvent: (_, event) => told.push(event),
    write: () => undefined,
  });
  processes.start(job('echo one >&2; echo "two " >&2; echo out; printf three >&2; kill -9 $$'));
  await until('it is gone', () => told.find(({ type }) => type === 'Gone') && true);
  expect(told.slice(1)).toEqual([
    { type: 'Exited', code: null, signal: 'SIGKILL' },
    { type: 'Gone', said: 'three' },
  ]);
});

it('a process is not gone before its children are', async () => {
  const { events, processes: all } = running('sleep 600 & exit 0');
  await seen(events, 'Exited 0');
  expect(events).toEqual(['Started', 'Exited 0']);
  all.signal('sleep 600 & exit 0', 'SIGTERM');
  await seen(events, 'Gone');
});

it('a start that is cancelled in the queue never happens', async () => {
  const { events, processes: all } = running('echo never', 'echo later');
  all.signal('echo never', 'SIGTERM');
  expect(events).toEqual(['Gone']);
  await until('the other has ended', () => (events.length === 4 ? true : undefined));
  expect(events).toEqual(['Gone', 'Started', 'Exited 0', 'Gone']);
});

it('a second process of a stream is refused, while the first is queued and while it runs', async () => {
  const { processes: all, events } = running('sleep 600');
  expect(() => all.start(job('sleep 600'))).toThrow('still there');
  await seen(events, 'Started');
  expect(() => all.start(job('sleep 600'))).toThrow('still there');
});

it('nothing is started after killAll', async () => {
  const { processes: all, events } = running('echo never');
  all.killAll();
  all.start(job('echo later'));
  await seen(events, 'Gone');
  expect(events).toEqual(['Started', 'Exited 0', 'Gone']);
});

it('a process is not gone before its daemon in another session is, and SIGTERM ends that, too', async () => {
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

it('a child that left the group and ignores SIGTERM is killed, with what it starts meanwhile', async () => {
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

it('killAll leaves no process, whatever group or session it went to', async () => {
  const it = running('setsid sleep 600 & echo "daemon $!"; exec sleep 600');
  const daemon = await daemonOf(it, 'sleep');
  it.processes.killAll();
  await until('it has ended', () => (isAlive(daemon) ? undefined : true));
});

it('a daemon with its own session and no environment is not found, and delays the end by a moment', async () => {
  const { events, output } = running('env -i setsid sleep 600 & echo "$!"');
  await seen(events, 'Gone');
  process.kill(Number(/] (\d+)/.exec(output())?.[1]), 'SIGKILL');
});

it('a group with only a zombie left has ended', async () => {
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
