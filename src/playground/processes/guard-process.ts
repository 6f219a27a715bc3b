// What does the guard do when its parent is gone? This is the guard's own process; guard.ts starts
// it and tells it what to watch.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endProcesses } from './processes.ts';

export type GuardMessage =
  | { readonly type: 'watchProcess' | 'forgetProcess'; readonly pid: number }
  | { readonly type: 'watchFolder' | 'forgetFolder'; readonly path: string }
  | { readonly type: 'goodbye' };

const graceMilliseconds = 2_000;

const pids = new Set<number>();
const folders = new Set<string>();

// It outlives whatever is sent to all processes of a terminal or a service: its end is its parent's
// end.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

process.stdout.write('on duty\n');
for await (const line of createInterface({ input: process.stdin })) obey(JSON.parse(line));

// The pipe has closed, and nobody said goodbye.
await endProcesses(pids, graceMilliseconds);
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

function obey(message: GuardMessage): void {
  switch (message.type) {
    case 'watchProcess':
      pids.add(message.pid);
      return;
    case 'forgetProcess':
      pids.delete(message.pid);
      return;
    case 'watchFolder':
      folders.add(message.path);
      return;
    case 'forgetFolder':
      folders.delete(message.path);
      return;
    case 'goodbye':
      process.exit(0);
      return;
    default:
      message satisfies never;
  }
}
