// The ranks of a job as tiles, each with its label: beside the pointer, or at the focus. One tile
// of each job is in the tab order; arrow keys move on from it.
import { type JobTile, tileAfter } from '../../model/ranks.ts';
import { h, setAttributes, setText } from '../dom.ts';

/** More tiles are drawn smaller. */
const MANY = 64;

export function ranksView() {
  const list = h('div.ranks', { role: 'group' });
  // Screen readers get it as the label of the tile.
  const note = h('p.rank-note', { hidden: '', 'aria-hidden': 'true' });
  const element = h('div.rank-field', list, note);
  let tiles: readonly JobTile[] = [];
  let inTabOrder = 0;
  let noted: HTMLElement | undefined;

  const indexOf = (target: EventTarget | null): number =>
    target instanceof HTMLElement ? [...list.children].indexOf(target) : -1;

  function putInTabOrder(index: number): void {
    list.children[inTabOrder]?.setAttribute('tabindex', '-1');
    inTabOrder = index;
    list.children[index]?.setAttribute('tabindex', '0');
  }

  function annotate(tile: HTMLElement | undefined): void {
    noted = tile;
    note.hidden = tile === undefined;
    if (tile === undefined) return;
    setText(note, tile.getAttribute('aria-label') ?? '');
    const room = Math.max(0, element.clientWidth - note.offsetWidth);
    note.style.left = `${Math.min(tile.offsetLeft, room)}px`;
  }

  function annotateTarget({ target }: Event): void {
    if (target instanceof HTMLElement && target.parentElement === list) annotate(target);
  }

  function focusBy(event: KeyboardEvent): void {
    const at = indexOf(event.target);
    const next = at < 0 ? undefined : tileAfter(event.key, at, tiles.length, perLine());
    const tile = next === undefined ? undefined : list.children[next];
    if (!(tile instanceof HTMLElement)) return;
    event.preventDefault();
    tile.focus();
  }

  function perLine(): number {
    const all = [...list.children].map((tile) => (tile instanceof HTMLElement ? tile : list));
    const top = all[0]?.offsetTop;
    const next = all.findIndex(({ offsetTop }) => offsetTop !== top);
    return next < 0 ? all.length : next;
  }

  list.addEventListener('mouseover', annotateTarget);
  list.addEventListener('focusin', (event) => {
    putInTabOrder(indexOf(event.target));
    annotateTarget(event);
  });
  element.addEventListener('mouseleave', () => annotate(undefined));
  list.addEventListener('focusout', () => annotate(undefined));
  list.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') annotate(undefined);
    else focusBy(event);
  });

  return {
    element,
    show: (job: string, shown: readonly JobTile[]) => {
      tiles = shown;
      element.hidden = shown.length === 0;
      setAttributes(list, {
        'aria-label': `Ranks of ${job}`,
        'data-density': shown.length > MANY ? 'dense' : undefined,
      });
      while (list.childElementCount > shown.length) list.lastElementChild?.remove();
      while (list.childElementCount < shown.length)
        list.append(h('span.replica.tile', { role: 'img', tabindex: '-1' }));
      for (const [index, { state, label, isLeader }] of shown.entries()) {
        const tile = list.children[index];
        const leader = isLeader ? 'yes' : undefined;
        if (tile !== undefined)
          setAttributes(tile, { 'data-state': state, 'data-leader': leader, 'aria-label': label });
      }
      putInTabOrder(inTabOrder < shown.length ? inTabOrder : 0);
      if (noted !== undefined) annotate(noted.isConnected ? noted : undefined);
    },
  };
}
