// Where is the page of the operator that leads in a playground? Its pods are processes of this
// machine, on addresses of the loopback.
import { hostAndPort } from '../../api/address.ts';
import { kinds } from '../../api/kinds.ts';
import { asString, dig } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { sleep, systemClock } from '../../runtime/clock.ts';

const AGAIN_MS = 1_000;
/** The default of --introspection-port; deploy/ sets no other. */
const PORT = 8090;

/** Calls back with the address at first, and whenever another replica leads. */
export async function followPage(
  api: KubeApi,
  onPage: (url: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let last: string | undefined;
  for (; !signal.aborted; await sleep(systemClock, AGAIN_MS, signal)) {
    const url = await pageOf(api).catch(() => undefined);
    if (url !== undefined && url !== last) onPage(url);
    last = url ?? last;
  }
}

async function pageOf(api: KubeApi): Promise<string | undefined> {
  const selector = { fieldSelector: 'metadata.name=swarm-operator' };
  const { items } = await api.list(kinds.Lease, undefined, selector);
  for (const { spec, metadata } of items) {
    // The name of its host, which is that of the pod, and a random part.
    const holder = asString(dig(spec, 'holderIdentity')) ?? '';
    const name = holder.slice(0, holder.lastIndexOf('-'));
    if (name === '' || metadata.namespace === undefined) continue;
    const pod = await api.get(kinds.Pod, { namespace: metadata.namespace, name });
    const ip = asString(dig(pod, 'status', 'podIP'));
    if (ip !== undefined) return `http://${hostAndPort(ip, PORT)}/`;
  }
  return undefined;
}
