// Faults while jobs are admitted, started and suspended: operators killed around a write, and
// frozen with it on its way.
import { ledgerName } from '../../../src/api/ledger.ts';
import { elected, withFrozenLeader } from '../faults/leaders.ts';
import type { Call } from '../proxy/call.ts';
import type { Exchange } from '../proxy/exchange.ts';
import type { ReplicaOptions } from '../replica.ts';
import { environment, type JobCell } from './job-cell.ts';

export type JobFault = {
  readonly replicas: readonly Pick<ReplicaOptions, 'environment' | 'isElected'>[];
  /** Of the queue. */
  readonly quota: number;
  /** Resolves when the fault is over. */
  readonly inject: (cell: JobCell) => Promise<void>;
  /** Resolves when every job has ended as it must. */
  readonly settle: (cell: JobCell) => Promise<void>;
};

type Matches = (call: Call) => boolean;

/** What admits a job, and gives its quota back: the ledger is made before. */
export const ledgerWrite: Matches = ({ verb, resource, name = '' }) =>
  verb === 'patch' && resource === 'configmaps' && name.startsWith(ledgerName(''));
export const creation: Matches = ({ verb, resource }) => verb === 'create' && resource === 'jobs';
/** Starts it, or takes the start back. */
export const startOrRelease: Matches = ({ verb, resource }) =>
  verb === 'patch' && resource === 'jobs';

export const one = [{ environment }];
const two = [
  { ...elected, environment },
  { ...elected, environment },
];

/** Job `first` was submitted, and has not ended. It succeeds in this attempt, and another job. */
const bothSucceed =
  (attempt: number) =>
  async (cell: JobCell): Promise<void> => {
    await cell.submit('second');
    await cell.until('first', 'Running');
    await cell.finish('first');
    await cell.until('second', 'Running');
    await cell.finish('second');
    await cell.mustHave('first', attempt, 0);
  };

/** The operator is killed around the first such write, and started again. */
export async function whileKilled(
  { proxy, replica }: JobCell,
  when: Matches,
  write: 'arrives' | 'is lost',
  act: () => Promise<void>,
): Promise<void> {
  const killed = Promise.withResolvers<void>();
  const disturb = async (exchange: Exchange): Promise<void> => {
    if (write === 'arrives') await exchange.forward();
    await replica.kill();
    exchange.breakOff();
    killed.resolve();
  };
  proxy.addRules({ when, times: 1, disturb });
  await Promise.all([act(), killed.promise]);
  proxy.heal();
  await replica.startAgain();
}

export const killedAt = (when: Matches, write: 'arrives' | 'is lost'): JobFault => ({
  replicas: one,
  quota: 2,
  inject: (cell) => whileKilled(cell, when, write, () => cell.submit('first')),
  settle: bothSucceed(1),
});

/** The write arrives when another leader has led the first job to a run. */
export const frozenAt = (when: Matches): JobFault => ({
  replicas: two,
  quota: 2,
  settle: bothSucceed(1),
  inject: (cell) =>
    withFrozenLeader(
      cell,
      when,
      () => cell.submit('first'),
      () => cell.until('first', 'Running'),
    ),
});

/** The start arrives when a user has suspended the job, and another one has its quota. */
export const frozenWithStart: JobFault = {
  replicas: two,
  quota: 2,
  settle: bothSucceed(2),
  inject: async (cell) => {
    await withFrozenLeader(
      cell,
      startOrRelease,
      () => cell.submit('first'),
      async () => {
        await cell.suspend('first', true);
        await cell.until('first', 'Suspended');
        await cell.submit('other');
        await cell.until('other', 'Running');
      },
    );
    await cell.finish('other');
    await cell.suspend('first', false);
  },
};

/** What takes the quota back arrives when the job was suspended, resumed, and runs again. */
export const frozenWithRelease: JobFault = {
  replicas: two,
  quota: 2,
  settle: bothSucceed(2),
  inject: async (cell) => {
    await cell.submit('first');
    await cell.until('first', 'Running');
    await withFrozenLeader(
      cell,
      startOrRelease,
      () => cell.suspend('first', true),
      async () => {
        await cell.until('first', 'Suspended');
        await cell.suspend('first', false);
        await cell.until('first', 'Running');
      },
    );
  },
};
