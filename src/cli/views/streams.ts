// How are the streams of a pool shown, the worst first?

import { plural } from '../../core/text.ts';
import { type ListedStream, listedStates } from '../../pool/plan/stream-list.ts';
import { moreLines } from '../arguments/terminal.ts';
import { type Cell, type Line, right, type Table, type TextStyle, tableLines } from '../render.ts';
import { sinceText } from './time.ts';

/** The worst of thousands; the line above the table counts all of them. */
const SHOWN = 40;

const styles: Readonly<Record<ListedStream['state'], TextStyle>> = {
  Failed: 'bad',
  Restarting: 'bad',
  Down: 'bad',
  Unassigned: 'bad',
  Assigned: 'busy',
  Starting: 'busy',
  Stopping: 'busy',
  Unknown: 'faint',
  Suspended: 'faint',
  Completed: 'good',
  Running: 'good',
};

export const streamTable = (
  streams: readonly ListedStream[],
  title: string,
  now: number,
): Table => ({
  columns: [title, 'WORKER', 'STATE', 'SINCE', right('RESTARTS'), 'MESSAGE'],
  rows: streams.map(({ stream, worker, state, since, restarts, message }): Cell[] => [
    stream,
    worker ?? '-',
    { text: state, style: styles[state] },
    since === undefined ? undefined : sinceText(since, now),
    restarts,
    message ?? '',
  ]),
});

export function streamLines(
  streams: readonly ListedStream[],
  width: number,
  isWide: boolean,
  now: number,
): readonly Line[] {
  const sorted = [...streams].sort((a, b) => rank(a) - rank(b) || news(b) - news(a));
  const shown = isWide ? sorted : sorted.slice(0, SHOWN);
  const counts = listedStates.flatMap((state) => {
    const count = streams.filter((it) => it.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return [
    [
      { text: plural(streams.length, 'stream'), style: 'strong' },
      { text: `: ${counts.join(', ')}` },
    ],
    ...downLines(streams),
    '',
    ...tableLines(streamTable(shown, 'STREAM', now), width),
    ...moreLines(sorted.length - shown.length, plural(sorted.length - shown.length, 'more stream')),
  ];
}

const MOST_WORKERS = 5;

/** Once for each worker that is down: a cell of the table would cut it. */
function downLines(streams: readonly ListedStream[]): readonly Line[] {
  const down = new Map(
    streams.flatMap(({ state, worker = '', message, takeover }) =>
      state === 'Down' ? [[worker, `: ${[message, takeover].filter(Boolean).join('; ')}`]] : [],
    ),
  );
  const shown = [...down]
    .slice(0, MOST_WORKERS)
    .map(
      ([worker, text]): Line => [
        { text: worker, style: 'strong' },
        { text: ' is down', style: 'bad' },
        { text },
      ],
    );
  const more = down.size - shown.length;
  return [
    ...shown,
    ...(more > 0 ? [`${plural(more, 'more worker')} ${more === 1 ? 'is' : 'are'} down`] : []),
  ];
}

const rank = ({ state }: ListedStream): number => listedStates.indexOf(state);

/** Of those that run, one that is kept at its worker in spite of a mistake says so. */
const news = ({ message }: ListedStream): number => (message === undefined ? 0 : 1);
