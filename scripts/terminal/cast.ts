// Which commands and outputs does a recorded session contain? An asciicast (version 2); a marker
// begins each scene.

export type CastEvent = readonly [seconds: number, kind: 'o' | 'm', text: string];
export type Cast = {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly events: readonly CastEvent[];
};

/** A marker's name, and the output until the next one. */
export type Scene = { readonly name: string; readonly text: string };

export function castText({ columns, rows, title, events }: Cast): string {
  const head = { version: 2, width: columns, height: rows, title, idle_time_limit: 2 };
  return [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

export function readCast(text: string): Cast {
  const [head = '', ...lines] = text.trim().split('\n');
  const { version, width, height, title } = JSON.parse(head) as {
    version: number;
    width: number;
    height: number;
    title: string;
  };
  if (version !== 2) throw new Error(`an asciicast of version ${version}; 2 is known`);
  return {
    columns: width,
    rows: height,
    title,
    events: lines.map((line) => JSON.parse(line) as CastEvent),
  };
}

export function scenesOf({ events }: Cast): readonly Scene[] {
  const starts = events.flatMap(([, kind], index) => (kind === 'm' ? [index] : []));
  return starts.map((start, at) => {
    const own = events.slice(start, starts[at + 1] ?? events.length);
    const [, , name = ''] = own[0] ?? [];
    const text = own.flatMap(([, kind, written]) => (kind === 'o' ? [written] : [])).join('');
    return { name, text };
  });
}
