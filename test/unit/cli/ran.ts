// What does a command print? It is run in this process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from '../../../src/cli/arguments/command.ts';
import type { Terminal } from '../../../src/cli/arguments/terminal.ts';
import { textOf } from '../../../src/cli/render.ts';
import { makeScreen } from '../../../src/cli/views/screen.ts';

type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** It is no terminal: no user answers. */
export const ran = (command: Command, ...args: readonly string[]): Promise<Ran> =>
  ranAsking(async () => undefined, command, ...args);

export async function ranAsking(
  ask: Terminal['ask'],
  command: Command,
  ...args: readonly string[]
): Promise<Ran> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await command.main(args, {
    out: (text) => void stdout.push(`${text}\n`),
    lines: (lines) => void stdout.push(...lines.map((line) => `${textOf(line).trimEnd()}\n`)),
    width: Number.MAX_SAFE_INTEGER,
    screen: () => makeScreen({ write: () => true, on: () => undefined, off: () => undefined }, {}),
    note: (line) => void stderr.push(`${textOf(line).trimEnd()}\n`),
    problem: (text) => void stderr.push(`${text}\n`),
    help: () => void stdout.push('help\n'),
    ask,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Against the cluster of this kubeconfig: what it says, wherever it says it. */
export async function said(
  kubeconfig: string,
  command: Command,
  ...args: readonly string[]
): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await ran(command, ...args, '--kubeconfig', kubeconfig);
  return { code, said: stdout + stderr };
}

/** Files for a command to read. */
export class Files {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'swarmctl-'));

  write(name: string, text: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
