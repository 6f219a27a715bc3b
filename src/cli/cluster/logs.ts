// What is in the log of a pod? Line by line, as the API server sends it.
import { errors, request } from 'undici';
import { kinds, pathOf } from '../../api/kinds.ts';
import { asString, dig, type Ref } from '../../api/objects.ts';
import { parseJson } from '../../api/text.ts';
import { credentialsOf, type PooledKubeConfig, serverOf } from '../../runtime/client/config.ts';
import { CommandError } from '../arguments/command.ts';

export type LogOptions = {
  readonly follow: boolean;
  readonly tail: number | undefined;
  readonly container: string | undefined;
  /** Only lines that were written later; a number: so many seconds ago, by the node's clock. */
  readonly since?: Date | number | undefined;
  /** Of the container before the present one. */
  readonly previous?: boolean;
  /** Each line begins with its time. */
  readonly timestamps?: boolean;
};

/** A log that is not followed is there: bytes of it follow one another. */
const SILENT_MS = 60_000;

type Reading = {
  /** Called when the log can be read, though it may be without lines for long. */
  readonly onOpen?: () => void;
  readonly silentMs?: number;
};

export async function* logLines(
  config: PooledKubeConfig,
  pod: Ref,
  options: LogOptions,
  signal: AbortSignal,
  { onOpen = () => undefined, silentMs = SILENT_MS }: Reading = {},
): AsyncGenerator<string> {
  const url = new URL(
    `${serverOf(config)}${pathOf(kinds.Pod, { namespace: pod.namespace, name: pod.name }, 'log')}`,
  );
  if (options.follow) url.searchParams.set('follow', 'true');
  if (options.tail !== undefined) url.searchParams.set('tailLines', String(options.tail));
  if (typeof options.since === 'number')
    url.searchParams.set('sinceSeconds', String(options.since));
  else if (options.since !== undefined)
    url.searchParams.set('sinceTime', options.since.toISOString());
  if (options.container !== undefined) url.searchParams.set('container', options.container);
  if (options.previous) url.searchParams.set('previous', 'true');
  if (options.timestamps) url.searchParams.set('timestamps', 'true');
  const { statusCode, body } = await request(url, {
    ...(await credentialsOf(config)()),
    signal,
    bodyTimeout: options.follow ? 0 : silentMs,
  });
  if (statusCode !== 200)
    throw new CommandError(`cannot read the log of ${pod.name}: ${messageIn(await body.text())}`);
  onOpen();
  const decoder = new TextDecoder();
  let rest = '';
  let isSilent = false;
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (!(error instanceof errors.BodyTimeoutError)) throw error;
    isSilent = true;
  }
  if (rest !== '') yield rest;
  if (isSilent)
    throw new CommandError(
      `the log of ${pod.name} is incomplete: the API server sent nothing more for ${silentMs / 1_000} s, and did not end it`,
    );
}

/** Of an answer that is a refusal. */
export const messageIn = (text: string): string =>
  asString(dig(parseJson(text), 'message')) ?? text.slice(0, 200);
