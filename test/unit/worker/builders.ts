// Jobs, slices, a policy and names for tests of the worker.
import type { Slice } from '../../../src/api/assignment.ts';
import type { Job, Policy } from '../../../src/worker/decide/stream.ts';

export const job = (stream: string, more: Partial<Job> = {}): Job => ({
  stream,
  weight: 0,
  parameters: {},
  ...more,
});

export const slice = (
  version: number,
  jobs: readonly string[],
  more: Partial<Slice> = {},
): Slice => ({ version, jobs, ...more });

export const policy: Policy = {
  backoffInitialMs: 1_000,
  backoffMaxMs: 60_000,
  backoffResetMs: 30_000,
  stopGraceMs: 10_000,
  drainMs: 25_000,
  onExit: 'restart',
};

/** Names that would do harm if anything treated them as more than a name. */
export const hostileNames: readonly string[] = [
  '; touch /tmp/swarm-worker-was-here',
  '$(touch /tmp/swarm-worker-was-here)',
  '`touch /tmp/swarm-worker-was-here`',
  '../../etc/passwd',
  '--flag',
  '-',
  'two\nlines',
  'two words',
  `both ' and "`,
  '\u001b[31mred',
  'constructor',
  '__proto__',
  '{weight}',
  'ünïcode 流',
  '\u202eright to left',
  '&& touch /tmp/swarm-worker-was-here ||',
  '> /tmp/swarm-worker-was-here',
  '/etc/passwd',
  '..',
  '*',
  '~root',
  '$IFS',
  '%s%n',
  'two\r\nlines',
  '{param.url}',
  'x'.repeat(4_000),
];
