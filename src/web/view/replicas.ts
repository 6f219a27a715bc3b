// The replicas of a member, or the ranks of a job, as a bar of blocks.
import type { ReplicaState, Segment } from '../model/segments.ts';
import { fill, h, setAttributes } from './dom.ts';

/** Each replica keeps its element, so that its colour can change gently. */
export function replicaBar() {
  const bar = h('div.replicas', { 'aria-hidden': 'true' });
  return {
    element: bar,
    show: (segments: readonly Segment[]) => {
      while (bar.childElementCount > segments.length) bar.lastElementChild?.remove();
      while (bar.childElementCount < segments.length) bar.append(h('span.replica'));
      for (const [index, { state, part }] of segments.entries()) {
        const replica = bar.children[index];
        if (!(replica instanceof HTMLElement)) continue;
        setAttributes(replica, { 'data-state': state });
        fill(replica, part);
      }
    },
  };
}

export function replicaLegend(words: Readonly<Partial<Record<ReplicaState, string>>>): HTMLElement {
  const entries = Object.entries(words).map(([state, word]) =>
    h('li', h('span.replica', { 'data-state': state, 'aria-hidden': 'true' }), word),
  );
  return h('ul.legend', { 'aria-label': 'Legend' }, ...entries);
}
