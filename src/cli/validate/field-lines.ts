// In which line of a YAML file is a field?
import { EVENT_ID, getScalarValue, parseEvents } from 'js-yaml';

/** By path, such as `spec.streams[2].name`; the document itself under the empty one. */
export type FieldLines = ReadonlyMap<string, number>;

type Event = ReturnType<typeof parseEvents>[number];

/**
 * One for each document of `text`, which must be valid YAML. `onRepeated`: the second line of a
 * field that stands twice.
 */
export function fieldLinesIn(
  text: string,
  onRepeated?: (path: string, line: number) => void,
): readonly FieldLines[] {
  const lineOf = lineFinder(text);
  const events = parseEvents(text, {});
  const documents: Map<string, number>[] = [];
  let at = 0;

  /** Reads one value with all that is in it. */
  const value = (path: string, lines: Map<string, number>): void => {
    const event = events[at];
    at += 1;
    if (event === undefined) return;
    if (!lines.has(path)) lines.set(path, lineOf(startOf(event)));
    if (event.type === EVENT_ID.MAPPING) {
      while (events[at] !== undefined && events[at]?.type !== EVENT_ID.POP) {
        const key = events[at];
        const name = key?.type === EVENT_ID.SCALAR ? getScalarValue(text, key) : '?';
        const inner = path === '' ? name : `${path}.${name}`;
        // The line of a field is that of its name.
        if (key !== undefined) {
          const line = lineOf(startOf(key));
          if (lines.has(inner) && name !== '?' && name !== '<<') onRepeated?.(inner, line);
          lines.set(inner, line);
        }
        if (key?.type === EVENT_ID.SCALAR) at += 1;
        else value('?', new Map());
        value(inner, lines);
      }
      at += 1;
    }
    if (event.type === EVENT_ID.SEQUENCE) {
      for (let index = 0; events[at] !== undefined && events[at]?.type !== EVENT_ID.POP; index += 1)
        value(`${path}[${index}]`, lines);
      at += 1;
    }
  };

  while (at < events.length) {
    const lines = new Map<string, number>();
    documents.push(lines);
    at += 1;
    while (events[at] !== undefined && events[at]?.type !== EVENT_ID.POP) value('', lines);
    at += 1;
  }
  return documents;
}

/** The line of a field; where it is missing, of the closest field around it. */
export function lineOf(lines: FieldLines, path: string): number {
  for (let at = path; at !== ''; at = at.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[\]]+)$/, '')) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return lines.get('') ?? 1;
}

const startOf = (event: Event): number =>
  event.type === EVENT_ID.SCALAR
    ? event.valueStart
    : event.type === EVENT_ID.ALIAS
      ? event.anchorStart
      : 'start' in event
        ? event.start
        : 0;

/** Lines count from 1. Each offset is at least as large as the one before. */
function lineFinder(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) if (text[at] === '\n') line += 1;
    return line;
  };
}
