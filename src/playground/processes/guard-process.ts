// The program of the guard's own process (guard.ts).
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

// Signals to all processes of a terminal or a service do not end it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

process.stdout.write('on duty\n');
for await (const line of createInterface({ input: process.stdin })) handle(JSON.parse(line));

// The pipe has closed without a goodbye.
await endProcesses(pids, graceMilliseconds);
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

function handle(message: GuardMessage): void {
  switch (message.type) {
    case 'watchProcess':
      pids.add(message.pid);
      break;
    case 'forgetProcess':
      pids.delete(message.pid);
      break;
    case 'watchFolder':
      folders.add(message.path);
      break;
    case 'forgetFolder':
      folders.delete(message.path);
      break;
    case 'goodbye':
      process.exit(0);
      break;
    default:
      message satisfies never;
  }
}
