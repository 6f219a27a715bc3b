// When does `job shell` open a terminal, and when does the command read nothing?
import { expect, it } from '@jest/globals';
import { streamsFor } from '../../../../src/cli/job/shell-streams.ts';

const TERMINAL = { isTTY: true };
const PIPE = {};
const SHELL: readonly string[] = [];
const COMMAND = ['hostname'];

it.each([
  ['a shell on a terminal', TERMINAL, TERMINAL, SHELL, { isTerminal: true, stdin: TERMINAL }],
  ['a command on a terminal', TERMINAL, TERMINAL, COMMAND, { isTerminal: true, stdin: TERMINAL }],
  ['a shell that writes to a pipe', TERMINAL, PIPE, SHELL, { isTerminal: true, stdin: TERMINAL }],
  ['a command that writes to a pipe', TERMINAL, PIPE, COMMAND, { isTerminal: false }],
  ['a shell that reads a pipe', PIPE, TERMINAL, SHELL, { isTerminal: false, stdin: PIPE }],
  ['a command that reads a pipe', PIPE, TERMINAL, COMMAND, { isTerminal: false, stdin: PIPE }],
  ['a shell between pipes', PIPE, PIPE, SHELL, { isTerminal: false, stdin: PIPE }],
  ['a command between pipes', PIPE, PIPE, COMMAND, { isTerminal: false, stdin: PIPE }],
])('%s gets its streams', (_, stdin, stdout, words, streams) =>
  expect(streamsFor({ stdin, stdout, words })).toEqual(streams),
);
