// A worker under trial, as `swarmctl worker-check --run` does it.
import type { Judged, PromiseId } from '../../../src/conformance/promises.ts';
import { checkByRunning, type RunOptions } from '../../../src/conformance/run.ts';

export function check(
  command: string,
  options: Partial<RunOptions> = {},
): Promise<readonly Judged[]> {
  const usual = {
    scheme: 'tcp',
    isExclusive: true,
    patienceMs: 60_000,
    quietMs: 400,
    graceMs: 60_000,
  } as const;
  return checkByRunning({ ...usual, command, signal: new AbortController().signal, ...options });
}

export async function brokenBy(
  command: string,
  options: Partial<RunOptions> = {},
): Promise<readonly PromiseId[]> {
  return (await check(command, options)).flatMap(({ id, verdict }) =>
    verdict.is === 'broken' ? [id] : [],
  );
}

/** The verdict on each promise; of a broken one with what was expected and what came. */
export const verdicts = (judged: readonly Judged[]): Record<string, string> =>
  Object.fromEntries(
    judged.map(({ id, verdict }) => [
      id,
      verdict.is === 'broken' ? JSON.stringify(verdict) : verdict.is,
    ]),
  );
