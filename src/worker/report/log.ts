// How does the runtime say what it does? One plain line at a time, on the output that the kubelet
// keeps.

export type Details = Readonly<Record<string, string | number | undefined>>;

export type WorkerLog = {
  readonly info: (message: string, details?: Details) => void;
  readonly warn: (message: string, details?: Details) => void;
};

export function createLog(write: (line: string) => void, now: () => Date): WorkerLog {
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

/**
 * Names of streams are anybody's text: what could be taken for a second line or another field is
 * written as JSON.
 */
export const quoted = (text: string): string =>
  /^[\w:./@+-]+$/.test(text) ? text : JSON.stringify(text);
