// What can a command do where its output goes?
import { type Line, paint } from '../render.ts';
import { makeScreen, type Screen } from '../views/screen.ts';

export type Terminal = {
  readonly out: (text: string) => void;
  /** With colours where there are any. */
  readonly lines: (lines: readonly Line[]) => void;
  /** In columns; what is not a terminal has no end. */
  readonly width: number;
  /** What is redrawn in place, where that can be done. */
  readonly screen: () => Screen;
  readonly problem: (text: string) => void;
  readonly help: () => void;
};

/** Problems begin with the name of the `program`. */
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
