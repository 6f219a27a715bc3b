// Progress of work that takes minutes.

export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const terminalMilliseconds = 1_000;
const logMilliseconds = 30_000;

/** Meanwhile, a terminal shows one line that is updated, and a log gets a line now and then. */
export async function withProgress<T>(
  output: ProgressOutput,
  what: string,
  work: () => Promise<T>,
  outcomeOf: (result: T) => string = () => 'done',
): Promise<T> {
  const startedAt = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - startedAt) / 1_000)} s`;
  const terminal = output.isTTY === true;
  const say = (text: string): unknown => output.write(terminal ? `\r\u001b[K${text}` : `${text}\n`);
  say(`${what} …`);
  const timer = setInterval(
    () => say(`${what} … ${elapsed()}`),
    terminal ? terminalMilliseconds : logMilliseconds,
  );
  const end = (text: string): void => {
    clearInterval(timer);
    say(terminal ? `${text}\n` : text);
  };
  try {
    const result = await work();
    end(`${what}: ${outcomeOf(result)} after ${elapsed()}`);
    return result;
  } catch (error) {
    end(`${what}: failed after ${elapsed()}`);
    throw error;
  }
}
