// Which streams have no worker, and why?
import type { PoolDetail, ShownUnassigned } from '../../../api/introspection.ts';
import { counted, reasonText } from '../../model/words.ts';
import { h, type KeptElement, keyedList, setText } from '../dom.ts';
import { listenTo } from './blocks.ts';
import type { BoardEvents } from './board.ts';

export function trayView(events: BoardEvents) {
  const title = h('h2', { id: 'tray-title' });
  const advice = h('p.quiet');
  const list = h('ul');
  const items = keyedList(
    list,
    ({ name }: ShownUnassigned) => name,
    ({ name }) => itemOf(name, events),
  );
  const labels = { 'aria-labelledby': 'tray-title', hidden: '' };
  const element = h('section.tray', labels, title, advice, list);
  return {
    element,
    show: ({ unassignedStreams: { total, first }, required, desired }: PoolDetail) => {
      element.hidden = total === 0;
      setText(title, `${counted(total, 'stream')} without a worker`);
      const enough =
        required > desired ? `${counted(required, 'worker')} would be enough for all. ` : '';
      const part = total > first.length ? `The first ${first.length} are shown.` : '';
      setText(advice, `${enough}${part}`);
      items.show(first);
    },
    itemOf: (stream: string): HTMLElement | undefined =>
      items.kept.get(stream)?.element.querySelector('button') ?? undefined,
  };
}

function itemOf(name: string, events: BoardEvents): KeptElement<ShownUnassigned> {
  const reason = h('span.quiet');
  const labels = { type: 'button', 'data-state': 'nowhere' };
  const button = h('button.block', labels, h('span.block-name', name));
  listenTo(button, name, events);
  return {
    element: h('li', button, reason),
    show: (now) => setText(reason, `${reasonText(now.reason)}: ${now.message}`),
  };
}
