// What can be done where the output goes?
import { paint } from '../render.ts';
import { makeScreen } from '../views/screen.ts';
import type { Terminal } from './main.ts';

/** `program`: as problems begin. */
export function terminalOf(
  program: string,
  help: () => string,
  { stdout, stderr, env } = process,
): Terminal {
  const isTerminal = stdout.isTTY === true;
  const isColoured = isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return {
    out: (text) => void stdout.write(`${text}\n`),
    lines: (lines) =>
      void stdout.write(lines.map((line) => `${paint(line, isColoured).trimEnd()}\n`).join('')),
    width: isTerminal ? stdout.columns : Number.MAX_SAFE_INTEGER,
    screen: () => makeScreen(stdout, env),
    problem: (text) => void stderr.write(`${program}: ${text}\n`),
    help: () => void stdout.write(help()),
  };
}
