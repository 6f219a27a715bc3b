// Does a worker restart a stream when its entry has a new token for it, and only then?
import { shown } from './ask.ts';
import type { Drive } from './drive.ts';

export const noWitness =
  'it reads none of the sources in the parameter url of its streams, so the check cannot see what it really consumes';

/** Of the first stream that the worker has; leaves the same streams, without tokens. */
export async function tryToken(drive: Drive): Promise<void> {
  const { ledger, sources } = drive;
  ledger.trying('token');
  const { jobs } = drive.published;
  const [stream = '', ...others] = jobs;
  const tells = typeof drive.report !== 'string' && drive.report.streams !== undefined;
  const isWitnessed = await drive.isWitnessed();
  const ended = sources.endsOf(stream);
  const before = startsOf(drive, others);
  const restarts = { [stream]: 'first' };
  await drive.publish(jobs, { restarts });
  const version = `version ${drive.published.version}, with a new token of ${shown(stream)}`;
  const missing = await drive.converges();
  if (missing !== undefined) return ledger.broken('token', version, missing);
  if (!isWitnessed) return ledger.notTried('token', noWitness);
  const hasEnded = (): boolean => sources.endsOf(stream) > ended;
  await drive.watch(drive.quietMs, hasEnded);
  if (!hasEnded() && !tells) return ledger.notTried('token', mayBeUnknown);
  if (!hasEnded())
    return ledger.broken(
      'token',
      `${version}, not confirmed before that stream has ended`,
      stillRuns,
    );
  const unread = await drive.waitFor(() =>
    sources.readersOf(stream) > 0 ? undefined : 'it no longer reads its source',
  );
  ledger.judge('token', `a restart of ${shown(stream)}`, unread);
  ledger.judge(
    'token',
    'no restart of streams without a new token',
    changeOf(drive, others, before),
  );
  await restartsNothing(drive, restarts, 'when the token stays the same');
  await restartsNothing(drive, undefined, 'when the token is removed');
}

const stillRuns = 'it still reads its source';
const mayBeUnknown =
  'it confirmed a new token without a restart; a worker without `streams` in its answer need not support tokens';

async function restartsNothing(
  drive: Drive,
  restarts: Readonly<Record<string, string>> | undefined,
  when: string,
): Promise<void> {
  const { jobs } = drive.published;
  const before = startsOf(drive, jobs);
  await drive.publish(jobs, restarts && { restarts });
  const missing = (await drive.converges()) ?? (await drive.stays());
  const got = missing ?? changeOf(drive, jobs, before);
  drive.ledger.judge('token', `no restart ${when}`, got);
}

const startsOf = ({ sources }: Drive, streams: readonly string[]): readonly number[] =>
  streams.map((stream) => sources.connectionsOf(stream));

function changeOf(
  drive: Drive,
  streams: readonly string[],
  before: readonly number[],
): string | undefined {
  const now = startsOf(drive, streams);
  const anew = streams.find((_, at) => now[at] !== before[at]);
  return anew === undefined ? undefined : `${shown(anew)} was restarted`;
}
