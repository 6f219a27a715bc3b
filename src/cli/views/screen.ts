// How are lines printed, and a drawing below them redrawn in place?
import { cutLine, type Line, paint } from '../render.ts';

export type ScreenOutput = {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
};

type Drawing = (width: number) => readonly Line[];

export interface Screen {
  /** Without a terminal nothing is redrawn, only printed. */
  readonly isLive: boolean;
  readonly width: number;
  say(...lines: readonly Line[]): void;
  /** Redraws the drawing below all printed lines. */
  draw(drawing: Drawing): void;
  /** The last drawing stays on the screen. */
  close(): void;
}

const WIDTH_OF_A_LOG = 120;
const eraseToEndOfLine = '\u001b[K';
const eraseBelow = '\u001b[J';
const eraseAll = '\u001b[2J\u001b[H';

type Environment = Readonly<Record<string, string | undefined>>;

/** A terminal that can move its cursor and show colours. */
const isAble = ({ isTTY }: Pick<ScreenOutput, 'isTTY'>, env: Environment): boolean =>
  isTTY === true && env['TERM'] !== 'dumb';

export const isColoured = (output: Pick<ScreenOutput, 'isTTY'>, env: Environment): boolean =>
  isAble(output, env) && (env['NO_COLOR'] ?? '') === '';

export const makeScreen = (output: ScreenOutput, env: Environment): Screen =>
  isAble(output, env) ? new LiveScreen(output, isColoured(output, env)) : logTo(output);

const logTo = (output: ScreenOutput): Screen => ({
  isLive: false,
  width: WIDTH_OF_A_LOG,
  say: (...lines) => {
    for (const line of lines) output.write(`${paint(line, false).trimEnd()}\n`);
  },
  draw: () => undefined,
  close: () => undefined,
});

class LiveScreen implements Screen {
  readonly isLive = true;
  readonly #output: ScreenOutput;
  readonly #isColoured: boolean;
  readonly #said: string[] = [];
  readonly #onResize = (): void => this.#redrawAll();
  #drawing: Drawing = () => [];
  /** How many lines of it are on the screen. */
  #drawn = 0;

  constructor(output: ScreenOutput, isColoured: boolean) {
    this.#output = output;
    this.#isColoured = isColoured;
    output.on('resize', this.#onResize);
  }

  get width(): number {
    return this.#output.columns ?? 80;
  }

  say(...lines: readonly Line[]): void {
    const texts = lines.map((line) => paint(line, this.#isColoured));
    this.#said.push(...texts);
    this.#output.write(
      this.#toTop() + eraseBelow + texts.map((text) => `${text}\n`).join('') + this.#draw(),
    );
  }

  draw(drawing: Drawing): void {
    this.#drawing = drawing;
    const top = this.#toTop();
    this.#output.write(`${top}${this.#draw()}${eraseBelow}`);
  }

  close(): void {
    this.#output.off('resize', this.#onResize);
    this.#drawing = () => [];
    this.#drawn = 0;
  }

  /** In one write with what goes before it, so that nothing flickers. */
  #draw(): string {
    // A line that wraps, or a drawing that is higher than the screen, could not be drawn over.
    const lines = this.#drawing(this.width).slice(0, Math.max(1, (this.#output.rows ?? 24) - 1));
    this.#drawn = lines.length;
    return lines
      .map((line) => `${paint(cutLine(line, this.width), this.#isColoured)}${eraseToEndOfLine}\n`)
      .join('');
  }

  #toTop(): string {
    return this.#drawn === 0 ? '' : `\r\u001b[${this.#drawn}A`;
  }

  /** A resized terminal wraps its lines anew: the position of the drawing is lost. */
  #redrawAll(): void {
    this.#output.write(eraseAll + this.#said.map((text) => `${text}\n`).join('') + this.#draw());
  }
}
