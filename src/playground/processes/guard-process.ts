// The program of the guard's own process (guard.ts).
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endProcesses } from './processes.ts';

/** `it`: the pid of a process, or the path of a folder. */
export type GuardMessage =
  | { readonly type: 'watch' | 'forget'; readonly it: number | string }
  | { readonly type: 'goodbye' };

const graceMilliseconds = 2_000;

const watched = new Set<number | string>();

// Signals to all processes of a terminal or a service do not end it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

process.stdout.write('on duty\n');
for await (const line of createInterface({ input: process.stdin })) handle(JSON.parse(line));

// The pipe has closed without a goodbye.
const pids = [...watched].filter((it) => typeof it === 'number');
await endProcesses(pids, graceMilliseconds);
for (const it of watched)
  if (typeof it === 'string') rmSync(it, { recursive: true, force: true, maxRetries: 5 });

function handle(message: GuardMessage): void {
  if (message.type === 'goodbye') process.exit(0);
  if (message.type === 'watch') watched.add(message.it);
  else watched.delete(message.it);
}
