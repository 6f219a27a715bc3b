// Does `job shell` warn that the launcher does not work yet, and only then?
import { expect, it } from '@jest/globals';
import { whyLauncherFails } from '../../../../src/cli/job/shell-target.ts';
import { jobOf } from '../../../support/queue-worlds.ts';
import { statusAt } from '../job-object.ts';

const warningAbout = (program: string): string =>
  `not all ranks run yet; \`${program}\` works only in a shell that is opened after all of them run`;

it.each([
  ['Flux', 'Starting', 'RanksStarting', warningAbout('flux')],
  ['MPI', 'Starting', 'RanksStarting', warningAbout('mpirun')],
  ['Leader', 'Starting', 'RanksStarting', undefined],
  ['None', 'Starting', 'RanksStarting', undefined],
  ['Flux', 'Running', 'AllRanksRunning', undefined],
  ['MPI', 'Running', 'RanksNotReady', undefined],
])('the warning about a job of type %s that is %s (%s) is %s', (type, state, reason, warning) => {
  const status = statusAt(state, reason, 'so many ranks run');
  const job = jobOf('sim', { launcher: { type } }, { status });
  expect(whyLauncherFails(job)).toBe(warning);
});
