// What does the operator report about a kind, from what it can read?
import type { KindReport, UnreadableNamespace } from '../../core/kind-report.ts';
import type { Readable, Unreadable } from '../watch/readable.ts';

export function reportOf(kind: string, readable: Readable): KindReport {
  switch (readable.state) {
    case 'syncing':
      return { kind, state: 'Syncing' };
    case 'synced': {
      const unreadable = readable.unreadable.map(unreadableNamespace);
      return { kind, state: 'On', ...(unreadable.length > 0 && { unreadable }) };
    }
    case 'denied': {
      const isInstalled = readable.denial.code !== 'NotFound';
      return {
        kind,
        state: 'Off',
        reason: isInstalled ? 'Forbidden' : 'NotInstalled',
        message: isInstalled
          ? readable.denial.message
          : `the cluster does not serve ${readable.kind.plural}.${readable.kind.group}`,
      };
    }
  }
}

function unreadableNamespace({ namespace, kind, denial }: Unreadable): UnreadableNamespace {
  return denial === undefined
    ? { namespace, reason: 'Syncing', message: `${kind.plural} have not been listed yet` }
    : { namespace, reason: 'Forbidden', message: denial.message };
}
