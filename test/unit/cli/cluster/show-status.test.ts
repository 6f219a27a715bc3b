// Which flags of `swarmctl status` are refused, since they would do nothing?
import { expect, it } from '@jest/globals';
import { groupStatus } from '../../../../src/cli/commands/group/status.ts';
import { status } from '../../../../src/cli/commands/status.ts';
import { ran } from '../ran.ts';

it.each([
  [status, ['--timeout', '10m'], '--timeout needs --until-ready'],
  [status, ['--timeout', '10m', '--watch'], '--timeout needs --until-ready'],
  [status, ['--timeout', '10m', '--until-ready'], '--until-ready needs --watch'],
  [status, ['--until-ready'], '--until-ready needs --watch'],
  [groupStatus, ['--timeout', '10m'], '--timeout needs --until-ready'],
])('status refuses to wait where it does not watch: %#', async (command, flags, problem) => {
  expect(await ran(command, 'tv', ...flags)).toEqual({
    code: 2,
    stdout: '',
    stderr: `${problem}\n(see --help)\n`,
  });
});
