// Writes the log: plain lines on the standard output, which the kubelet keeps.
export type Details = Readonly<Record<string, string | number | undefined>>;

export type WorkerLog = {
  readonly info: (message: string, details?: Details) => void;
  readonly warn: (message: string, details?: Details) => void;
};

export function createLog(
  write: (line: string) => void = (line) => void process.stdout.write(line),
  now = () => new Date(),
): WorkerLog {
  const line = (level: string, message: string, details: Details): void =>
    write(`${now().toISOString()} ${level} ${[message, ...pairs(details)].join(' ')}\n`);
  return {
    info: (message, details = {}) => line('info', message, details),
    warn: (message, details = {}) => line('warn', message, details),
  };
}

const pairs = (details: Details): string[] =>
  Object.entries(details).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${quoted(String(value))}`],
  );

/** As JSON if the text, such as a stream's name, could be mistaken for another line or field. */
export const quoted = (text: string): string =>
  /^[\w:./@+-]+$/.test(text) ? text : JSON.stringify(text);
