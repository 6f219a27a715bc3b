// What is shown of the messages that a worker tells of its streams? One may have a password in it
// that is in a parameter, of this stream or of another one there.
import type { Slice, StreamParameters } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import { redacted } from '../../api/redact.ts';
import { redactedBeside } from '../../api/redact-beside.ts';
import type { StreamReport } from '../../api/reported-streams.ts';

type NamedReport = readonly [stream: string, report: StreamReport];

/** A worker that has nothing new to say is read no second time, and neither are its messages. */
const known = new WeakMap<StreamReport, { readonly slice: Slice; readonly message: string }>();

/** By stream, of those that have one; all of them are of one worker, with this slice. */
export function shownMessages(
  slice: Slice | undefined,
  told: readonly NamedReport[],
): ReadonlyMap<string, string> {
  const texts = told.flatMap(([stream, report]) =>
    report.message === undefined ? [] : [{ stream, report, message: report.message }],
  );
  if (slice?.parameters === undefined)
    return new Map(texts.map(({ stream, message }) => [stream, message]));
  const { parameters } = slice;
  const fresh = texts.filter(({ report }) => known.get(report)?.slice !== slice);
  if (fresh.length > 0) {
    const plain = fresh.map(({ stream, message }) =>
      redacted(message, Object.values(own(parameters, stream) ?? {})),
    );
    const shown = redactedBeside(plain, valuesIn(parameters));
    for (const [at, { report }] of fresh.entries())
      known.set(report, { slice, message: shown[at] ?? '' });
  }
  return new Map(texts.map(({ stream, report }) => [stream, known.get(report)?.message ?? '']));
}

/** What is told of one stream, with the message that may be shown. */
export function withoutValues(
  told: StreamReport,
  slice: Slice | undefined,
  stream: string,
): StreamReport {
  const message = shownMessages(slice, [[stream, told]]).get(stream);
  return message === undefined ? told : { ...told, message };
}

function* valuesIn(parameters: Readonly<Record<string, StreamParameters>>): Iterable<string> {
  for (const stream in parameters) yield* Object.values(parameters[stream] ?? {});
}
