// Progress of work that takes minutes.

export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** How far the work is, in a few words. */
export type Report = (howFar: string) => void;

const terminalMilliseconds = 1_000;
const logMilliseconds = 30_000;

/** Meanwhile, a terminal shows one line that is updated, and a log gets a line now and then. */
export async function withProgress<T>(
  output: ProgressOutput,
  what: string,
  work: (report: Report) => Promise<T>,
  outcomeOf: (result: T) => string = () => 'done',
): Promise<T> {
  const startedAt = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - startedAt) / 1_000)} s`;
  const terminal = output.isTTY === true;
  const say = (text: string): unknown => output.write(terminal ? `\r\u001b[K${text}` : `${text}\n`);
  let howFar = '';
  const sayHowFar = (now: string): unknown => {
    // A line that a terminal wraps is not overwritten.
    const room = terminal ? (output.columns ?? 80) - now.length - 4 : what.length;
    return say(`${what.slice(0, Math.max(room, 0)).trimEnd()} … ${now}`.trimEnd());
  };
  sayHowFar('');
  const timer = setInterval(
    () => sayHowFar([howFar, elapsed()].filter(Boolean).join(', ')),
    terminal ? terminalMilliseconds : logMilliseconds,
  );
  const end = (text: string): void => {
    clearInterval(timer);
    say(terminal ? `${text}\n` : text);
  };
  try {
    const result = await work((text) => {
      howFar = text;
    });
    end(`${what}: ${outcomeOf(result)} after ${elapsed()}`);
    return result;
  } catch (error) {
    end(`${what}: failed after ${elapsed()}`);
    throw error;
  }
}
