// What does a line of a worker's log say of its streams?

export type WorkerRecord =
  | { readonly what: 'started' | 'stopped'; readonly at: number; readonly stream: string }
  /** The kubelet's SIGTERM: the pod is to go. */
  | { readonly what: 'told to end'; readonly at: number };

/** All that one pod has written down, in its order. */
export type WorkerRecords = {
  readonly worker: string;
  readonly pod: string;
  readonly records: readonly WorkerRecord[];
};

/** A stream's own output begins with its name in brackets: it cannot be taken for a record. */
const line =
  /^(\d{4}-\d\d-\d\dT[\d:.]+Z) info (?:(started|stopped) stream=("(?:[^"\\]|\\.)*"|\S+)|(asked to stop) )/;

/** Nothing of lines that speak of something else. */
export function readRecord(text: string): WorkerRecord | undefined {
  const [, time = '', verb, stream = '', ending] = line.exec(text) ?? [];
  const at = Date.parse(time);
  if (ending !== undefined) return { what: 'told to end', at };
  return verb === 'started' || verb === 'stopped'
    ? { what: verb, at, stream: unquoted(stream) }
    : undefined;
}

const unquoted = (text: string): string => (text.startsWith('"') ? String(JSON.parse(text)) : text);
