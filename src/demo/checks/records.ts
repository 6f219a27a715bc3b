// Reads records of streams from lines of a worker's log.

export type WorkerRecord =
  | { readonly what: 'started' | 'stopped'; readonly at: number; readonly stream: string }
  /** The kubelet's SIGTERM: the pod is to go. */
  | { readonly what: 'told to end'; readonly at: number };

/** All records of one pod, in their order. */
export type WorkerRecords = {
  readonly worker: string;
  readonly pod: string;
  readonly records: readonly WorkerRecord[];
};

/** Cannot match a stream's own output, which begins with its name in brackets. */
const line =
  /^(\d{4}-\d\d-\d\dT[\d:.]+Z) info (?:(started|stopped) stream=("(?:[^"\\]|\\.)*"|\S+)|(asked to stop) )/;

/** Undefined: the line is no record. */
export function readRecord(text: string): WorkerRecord | undefined {
  const [, time = '', verb, stream = '', ending] = line.exec(text) ?? [];
  const at = Date.parse(time);
  if (ending !== undefined) return { what: 'told to end', at };
  return verb === 'started' || verb === 'stopped'
    ? { what: verb, at, stream: unquoted(stream) }
    : undefined;
}

const unquoted = (text: string): string => (text.startsWith('"') ? String(JSON.parse(text)) : text);
