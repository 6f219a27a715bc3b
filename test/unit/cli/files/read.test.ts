// What does a command say when it reads standard input?
import { describe, expect, it } from '@jest/globals';
import { readText } from '../../../../src/cli/files/read.ts';

describe('standard input', () => {
  it.each([
    ['says that it reads from a terminal', true, ['reading from the terminal until Ctrl-D']],
    ['says nothing when it reads from a pipe or a file', false, []],
  ])('%s', (_, isTerminal, says) => {
    const notes: string[] = [];
    const note = (line: string): void => void notes.push(line);
    const input = { isTerminal: () => isTerminal, read: () => 'a: 1', note };
    expect(readText('-', input)).toEqual({ file: 'stdin', text: 'a: 1' });
    expect(notes).toEqual(says);
  });
});
