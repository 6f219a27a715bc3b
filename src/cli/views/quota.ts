// How is a quota shown, and what waits for it?
import type { QuotaRow } from '../../queue/quota/rows.ts';
import type { WaitingRow } from '../job/queue-facts.ts';
import { type Cell, right, type Table } from '../render.ts';
import { startText, untilText } from './time.ts';

export const quotaTable = (rows: readonly QuotaRow[]): Table => {
  const isNeeded = rows.some(({ needed }) => needed !== undefined);
  const isKept = rows.some(({ kept }) => kept !== undefined);
  const isPerUser = rows.some(({ perUser }) => perUser !== undefined);
  return {
    columns: [
      'RESOURCE',
      ...[
        'QUOTA',
        ...(isPerUser ? ['PER USER'] : []),
        'IN USE',
        'FREE',
        ...(isKept ? ['KEPT'] : []),
        ...(isNeeded ? ['NEEDED'] : []),
      ].map(right),
      '',
    ],
    rows: rows.map(({ resource, quota, perUser, used, free, kept, needed }): Cell[] => [
      resource,
      quota ?? 'no bound',
      ...(isPerUser ? [perUser ?? 'no bound'] : []),
      used,
      free ?? 'no bound',
      ...(isKept ? [kept ?? (free === undefined ? '-' : '0')] : []),
      ...(isNeeded ? [needed] : []),
      '',
    ]),
  };
};

export function waitingTable(rows: readonly WaitingRow[], now: number): Table {
  const areEstimated = rows.some(({ startsBy }) => startsBy !== undefined);
  return {
    columns: [
      right('#'),
      'WAITING',
      ...['PRIORITY', 'SIZE'].map(right),
      ...(areEstimated ? ['STARTS AT THE LATEST'] : []),
      'REASON',
      '',
    ],
    rows: rows.map(({ position, name, priority, size, reason, message, ...start }): Cell[] => [
      position,
      { text: name, style: 'strong' },
      priority,
      size,
      ...(areEstimated ? [start.startsBy && `in ${untilText(start.startsBy, now)}`] : []),
      { text: reason, style: 'busy' },
      start.noEstimate === undefined ? message : `${message}; ${startText(start, now)}`,
    ]),
  };
}
