// How is a quota shown, and what waits for it?
import type { QuotaRow, WaitingRow } from '../job/queue-facts.ts';
import { type Cell, right, type Table } from '../render.ts';

export const quotaTable = (rows: readonly QuotaRow[]): Table => {
  const isNeeded = rows.some(({ needed }) => needed !== undefined);
  return {
    columns: [
      'RESOURCE',
      ...['QUOTA', 'IN USE', 'FREE', ...(isNeeded ? ['NEEDED'] : [])].map(right),
      '',
    ],
    rows: rows.map(({ resource, quota, used, free, needed }): Cell[] => [
      resource,
      quota ?? 'no bound',
      used,
      free ?? 'no bound',
      ...(isNeeded ? [needed] : []),
      '',
    ]),
  };
};

export const waitingTable = (rows: readonly WaitingRow[]): Table => ({
  columns: [right('#'), 'WAITING', ...['PRIORITY', 'SIZE'].map(right), 'REASON', ''],
  rows: rows.map(({ position, name, priority, size, reason, message }): Cell[] => [
    position,
    { text: name, style: 'strong' },
    priority,
    size,
    { text: reason, style: 'busy' },
    message,
  ]),
});
