// What do people do to a ledger who may? They delete it, edit it, or put an earlier copy in its
// place.
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { ledgerRef } from './manifests.ts';
import type { QueueSimWorld } from './queue-world.ts';
import type { QueueAction } from './story.ts';

type LedgerEdit = Extract<QueueAction, { do: 'ledger' }>['how'];

export function editLedger({ server, random, clock }: QueueSimWorld, how: LedgerEdit): unknown {
  const present = server.get(kinds.ConfigMap, ledgerRef);
  switch (how) {
    case 'delete':
      return server.remove(kinds.ConfigMap, ledgerRef);
    case 'restore': {
      // An earlier copy, its digest with it.
      const versions = server
        .history({ kind: kinds.ConfigMap, namespace: ledgerRef.namespace })
        .filter(({ event, at }) => event.type !== 'DELETED' && at >= clock.now() - 20_000)
        .map(({ event }) => event.object);
      return versions.length === 0
        ? undefined
        : write(server, random.fork(`${clock.now()}`).pick(versions)['data']);
    }
    case 'scramble':
      return write(server, { ...asRecord(present['data']), 'ledger.json': 'not JSON' });
    case 'drop':
      return edit(server, present, (text) => text.replace(/\n\{.*\}(,?)/, ''));
    case 'lower':
      return edit(server, present, (text) => text.replace(/"nextGrant":\d+/, '"nextGrant":2'));
    default:
      return how satisfies never;
  }
}

/** As an editor does: the digest stays as it was. */
function edit(
  server: QueueSimWorld['server'],
  ledger: KubeObject,
  change: (text: string) => string,
): unknown {
  const text = change(asString(dig(ledger, 'data', 'ledger.json')) ?? '');
  return write(server, { ...asRecord(ledger['data']), 'ledger.json': text });
}

function write(server: QueueSimWorld['server'], data: unknown): unknown {
  const present = server.get(kinds.ConfigMap, ledgerRef);
  return server.replace(kinds.ConfigMap, { ...present, metadata: { ...present.metadata }, data });
}
