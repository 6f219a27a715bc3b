// How does a command write to the user?
import { type Line, paint } from '../render.ts';
import { isColoured, makeScreen, type Screen } from '../views/screen.ts';

export type Terminal = {
  readonly out: (text: string) => void;
  readonly lines: (lines: readonly Line[]) => void;
  /** In columns; without bound where the output is no terminal. */
  readonly width: number;
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
  const hasColours = isColoured(stdout, env);
  return {
    out: (text) => void stdout.write(`${text}\n`),
    lines: (lines) =>
      void stdout.write(lines.map((line) => `${paint(line, hasColours).trimEnd()}\n`).join('')),
    width: stdout.isTTY ? stdout.columns : Number.MAX_SAFE_INTEGER,
    screen: () => makeScreen(stdout, env),
    problem: (text) => void stderr.write(`${program}: ${text}\n`),
    help: () => void stdout.write(help()),
  };
}
