// The trays above the board: streams without a worker, and failing streams, each with the reason.
import type { PoolDetail, ShownUnassigned } from '../../../api/introspection.ts';
import { downWorkerText } from '../../model/down.ts';
import { enoughText } from '../../model/plan.ts';
import { downText, failText } from '../../model/pools.ts';
import { counted, durationText, reasonText } from '../../model/words.ts';
import { h, type KeptElement, keyedList, setText } from '../dom.ts';
import { listenTo, type StreamEvents } from './blocks.ts';
import type { BoardEvents } from './board.ts';

type ShownFailing = PoolDetail['failingStreams']['first'][number];
type Row = {
  readonly name: string;
  readonly state: 'nowhere' | 'failing' | 'down';
  readonly why: string;
};

export function unassignedTray(events: StreamEvents) {
  const tray = trayView('tray', events);
  return {
    ...tray,
    show: (pool: PoolDetail) => {
      const { total, first } = pool.unassignedStreams;
      const title = `${counted(total, 'stream')} without a worker`;
      tray.show(title, `${enoughText(pool)}${partText(total, first.length)}`, first.map(nowhere));
    },
  };
}

export function failingTray(events: StreamEvents) {
  const tray = trayView('failures', events);
  return {
    ...tray,
    show: ({ failingStreams: { total, first } }: PoolDetail, now: number) => {
      const rows = first.map((stream) => failing(stream, now));
      tray.show(failText(total), partText(total, first.length), rows);
    },
  };
}

/** A row for each worker: all of its streams are down for one reason. */
export function downTray({ onWorker }: BoardEvents) {
  const choose = {
    onStream: (worker: string, _: HTMLElement, isChosen: boolean) => isChosen && onWorker(worker),
    onLeave: () => undefined,
  };
  const tray = trayView('down', choose);
  return {
    ...tray,
    /** Called even if nothing changes, to count down the remaining time. */
    show: ({ down, downWorkers: { total, first } }: PoolDetail, now: number) => {
      const rows = first.map(
        (worker): Row => ({ name: worker.name, state: 'down', why: downWorkerText(worker, now) }),
      );
      tray.show(downText(down), partText(total, first.length), rows);
    },
  };
}

const partText = (total: number, shown: number): string =>
  total > shown ? `The first ${shown} are shown.` : '';

const nowhere = ({ name, reason, message }: ShownUnassigned): Row => ({
  ...{ name, state: 'nowhere' },
  why: `${reasonText(reason)}: ${message}`,
});

const failing = (stream: ShownFailing, now: number): Row => ({
  ...{ name: stream.name, state: 'failing' },
  why: [
    stream.worker,
    ...(stream.state === 'Failed' ? ['gave up restarting'] : []),
    ...(stream.since === undefined
      ? []
      : [`for ${durationText((now - Date.parse(stream.since)) / 1_000)}`]),
    ...(stream.restarts ? [`restarted ${counted(stream.restarts, 'time')}`] : []),
    ...(stream.message === undefined ? [] : [stream.message]),
  ].join(' · '),
});

function trayView(kind: 'tray' | 'failures' | 'down', events: StreamEvents) {
  const title = h('h2', { id: `${kind}-title` });
  const advice = h('p.quiet');
  const list = h('ul');
  const items = keyedList(
    list,
    ({ name }: Row) => name,
    (row) => itemOf(row, events),
  );
  const labels = { 'aria-labelledby': `${kind}-title`, hidden: '' };
  const element = h(`section.${kind}`, labels, title, advice, list);
  return {
    element,
    show: (text: string, note: string, rows: readonly Row[]) => {
      element.hidden = rows.length === 0;
      setText(title, text);
      setText(advice, note);
      items.show(rows);
    },
    itemOf: (stream: string): HTMLElement | undefined =>
      items.kept.get(stream)?.element.querySelector('button') ?? undefined,
  };
}

function itemOf({ name, state }: Row, events: StreamEvents): KeptElement<Row> {
  const why = h('span.quiet');
  const labels = { type: 'button', 'data-state': state };
  const button = h('button.block', labels, h('span.block-name', name));
  listenTo(button, name, events);
  return { element: h('li', button, why), show: (now) => setText(why, now.why) };
}
