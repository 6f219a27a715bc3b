// One worker: its name, how it is doing, how full it is, and the vessel that its streams lie in.
import type { Column } from '../../model/blocks.ts';
import type { Scale } from '../../model/layout.ts';
import { counted, durationText, numberText } from '../../model/words.ts';
import { h, type KeptElement, setAttributes, setText } from '../dom.ts';
import { badge, meter } from '../parts.ts';

export type ScaledColumn = Column & { readonly scale: Scale };
type ColumnView = KeptElement<ScaledColumn> & { readonly vessel: HTMLElement };

export function columnView({ worker }: Column, onChosen: (worker: string) => void): ColumnView {
  const standing = badge();
  const name = h('span.column-name');
  const open = h('button.column-head.plain', { type: 'button' }, name, standing.element);
  const level = meter();
  const load = h('span.quiet.load');
  const message = h('p.message');
  const vessel = h('ul.vessel');
  const element = h('section.column', open, level.element, load, message, vessel);
  open.addEventListener('click', () => onChosen(worker.name));
  return {
    element,
    vessel,
    show: ({ worker: now, tone, blocks, scale }) => {
      const { state } = now;
      setAttributes(element, { 'data-tone': tone, 'aria-label': now.name });
      setText(name, now.name.slice(scale.short.length));
      setAttributes(name, { title: now.name });
      standing.show(tone, state);
      setText(load, scale.isTile ? numberText(now.streams) : loadText(now, scale));
      setAttributes(open, {
        'aria-label': `${now.name}: ${state}, ${loadText(now, scale)}; show its streams`,
      });
      level.show((scale.isWeighed ? now.load : now.streams) / scale.fullest);
      setText(message, messageText(now));
      message.hidden = message.textContent === '';
      setAttributes(vessel, { 'aria-label': `Streams of ${now.name}` });
      vessel.hidden = blocks.length === 0 && now.assigned === undefined;
    },
  };
}

const loadText = ({ streams, load, capacity }: Column['worker'], { isWeighed }: Scale): string =>
  `${counted(streams, 'stream')}${isWeighed ? `, ${load} of ${capacity}` : ''}`;

/** Nothing, if all is well. */
function messageText({ message, awaited, state }: Column['worker']): string {
  if (state === 'Converged') return '';
  const waits =
    awaited === undefined
      ? ''
      : `version ${awaited.version} awaited${awaited.seconds >= 2 ? ` for ${durationText(awaited.seconds)}` : ''}`;
  const why = message ?? waits;
  return why === '' ? state : `${state}: ${why}`;
}
