// The transition of a group under way, or the last one.
import type { GroupDetail } from '../../../api/introspection/groups.ts';
import { progressOf } from '../../model/members.ts';
import { transitionText } from '../../model/transitions.ts';
import { badge, h, meter, setAttributes, setText } from '../dom.ts';

export function transitionView() {
  const title = h('h2', { id: 'transition-title' });
  const sizes = h('strong.sizes');
  const standing = badge();
  const facts = h('span.quiet');
  const message = h('p.message');
  const progress = meter();
  const element = h(
    'section.transition',
    { 'aria-labelledby': 'transition-title' },
    title,
    h('div.transition-head', sizes, standing.element, facts),
    progress.element,
    message,
  );
  return {
    element,
    show: (detail: GroupDetail, now: number) => {
      const text = transitionText(detail, now);
      element.hidden = text === undefined;
      if (text === undefined) return;
      setText(title, text.title);
      setText(sizes, text.sizes);
      standing.show(text.tone, text.word);
      setText(facts, text.facts);
      setText(message, text.message);
      message.hidden = text.message === '';
      progress.element.hidden = !text.isUnderWay;
      progress.show(progressOf(detail));
      setAttributes(element, { 'data-tone': text.tone });
    },
  };
}
