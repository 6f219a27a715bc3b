// How does a release talk to a registry? By the tool of each, one command at a time.
import { spawnSync } from 'node:child_process';

export type Outcome = {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Run = (program: string, ...args: readonly string[]) => Outcome;

export const run: Run = (program, ...args) => {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
};

/** The outcome of a command that must not fail. */
export function succeeded(what: string, outcome: Outcome): Outcome {
  if (outcome.status === 0) return outcome;
  throw new Error(`${what} failed:\n${outcome.stderr.trim() || outcome.stdout.trim()}`);
}

/**
 * The outcome of a command that asks for something; undefined: it does not exist. A registry denies
 * what it does not have. If it really denies, the push that follows says so again.
 */
export function existing(what: string, outcome: Outcome): Outcome | undefined {
  const isMissing = /\b(?:not found|(?:manifest|name)[ _]unknown|denied|E404)\b/i.test(
    outcome.stderr,
  );
  return outcome.status !== 0 && isMissing ? undefined : succeeded(what, outcome);
}
