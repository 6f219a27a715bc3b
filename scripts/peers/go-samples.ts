// The sample worker in Go, its tests, and a program that reads assignments as it does: built before
// the first test.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../run.ts';

export const goPrograms = { worker: 'worker', tests: 'worker.test', reader: 'reader' } as const;

/** Undefined: they are in the folder. */
export function buildGoSamples(folder: string): { readonly refusal: string } | undefined {
  const sample = `${root}samples/workers/go`;
  const source = path.join(folder, 'source');
  mkdirSync(source, { recursive: true });
  for (const file of ['go.mod', 'assignment.go'])
    copyFileSync(`${sample}/${file}`, path.join(source, file));
  copyFileSync(`${root}test/fuzz/samples/read.go`, path.join(source, 'read.go'));
  const at = (name: string): string => path.join(folder, name);
  for (const [cwd, args] of [
    [sample, ['build', '-o', at(goPrograms.worker), '.']],
    [sample, ['test', '-c', '-o', at(goPrograms.tests), '.']],
    [source, ['build', '-o', at(goPrograms.reader), '.']],
  ] as const) {
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    const { status, error, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8' });
    if (error !== undefined) return { refusal: `cannot run Go: ${error.message}` };
    if (status !== 0) throw new Error(`go ${args.join(' ')} in ${cwd} failed:\n${stderr}`);
  }
  return undefined;
}
