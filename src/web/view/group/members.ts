// The members of a group, stage by stage: the wanted replicas, the ready ones, and why the others
// are not.
import type { GroupDetail } from '../../../api/introspection/groups.ts';
import { type MemberRow, type StageRow, stagesOf } from '../../model/members.ts';
import { hashOf } from '../../model/route.ts';
import { badge, h, type KeptElement, keyedList, setAttributes, setText } from '../dom.ts';
import { replicaBar, replicaLegend } from '../replicas.ts';

export function membersView(namespace: string) {
  const list = h('ol.stages');
  const empty = h('p.quiet', { hidden: '' }, 'The members are not known yet.');
  const stages = keyedList(
    list,
    ({ stage }: StageRow) => String(stage),
    () => stageView(namespace),
  );
  const title = h('h2', { id: 'members-title' }, 'Members');
  const colours = replicaLegend(words);
  const head = h('div.board-head', title, colours);
  return {
    element: h('section.members', { 'aria-labelledby': 'members-title' }, head, empty, list),
    show: (detail: GroupDetail) => {
      const rows = stagesOf(detail);
      empty.hidden = rows.length > 0;
      colours.hidden = rows.length === 0;
      stages.show(rows);
    },
  };
}

const words = {
  ready: 'ready',
  waiting: 'not ready yet',
  stuck: 'not ready in time',
  leaving: 'surplus',
} as const;

function stageView(namespace: string): KeptElement<StageRow> {
  const stage = h('strong');
  const note = h('span.quiet');
  const title = h('h3.stage-title', stage, note);
  const list = h('ul');
  const members = keyedList(
    list,
    ({ key }: MemberRow) => key,
    (row) => memberView(namespace, row),
  );
  const element = h('li.stage', title, list);
  return {
    element,
    show: (row) => {
      title.hidden = row.stage === undefined;
      setText(stage, `Stage ${row.stage}`);
      setText(note, row.note);
      setAttributes(element, { 'data-now': row.isNow ? 'yes' : undefined });
      members.show(row.members);
    },
  };
}

function memberView(namespace: string, { kind, name }: MemberRow): KeptElement<MemberRow> {
  const standing = badge();
  const bar = replicaBar();
  const count = h('span.member-count');
  const message = h('p.message');
  const title =
    kind === 'SwarmPool' ? h('a', { href: hashOf(namespace, name) }, name) : h('span', name);
  title.classList.add('member-name');
  const about = h('span.quiet');
  const named = h('div.member-title', title, about);
  const element = h('li.member', named, bar.element, count, standing.element, message);
  return {
    element,
    show: (row) => {
      setAttributes(element, { 'data-tone': row.tone });
      standing.show(row.tone, row.state);
      bar.show(row.segments);
      setText(count, row.count);
      setText(about, [kind, row.took].filter(Boolean).join(' · '));
      setText(message, row.message);
      message.hidden = row.message === '';
    },
  };
}
