// How is a pod reached? Through the API server, as by `kubectl get --raw`; where that is refused,
// at the pod's own address.
import { hostAndPort } from '../api/address.ts';
import { kinds } from '../api/kinds.ts';
import { asString, dig, type KubeObject } from '../api/objects.ts';
import { errorText } from '../api/text.ts';
import { KubeClient } from '../runtime/client/client.ts';
import { credentialsOf, type PooledKubeConfig, serverOf } from '../runtime/client/config.ts';
import { loadKubeConfig } from '../runtime/client/load-config.ts';
import { askAt, type RequestWorker } from './ask.ts';

export type PodOptions = {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  readonly port: number;
};

type FoundPod = { readonly uid: string; readonly ask: RequestWorker };

/** A text: why it cannot be reached. */
export async function findPod(target: string, options: PodOptions): Promise<FoundPod | string> {
  try {
    const config = loadKubeConfig({ file: options.kubeconfig, context: options.context });
    const [name = '', namespaceInTarget] = target.split('/').reverse();
    const namespace =
      namespaceInTarget ??
      options.namespace ??
      config.getContextObject(config.getCurrentContext())?.namespace ??
      'default';
    const client = new KubeClient(config, { userAgent: 'swarmctl' });
    const pod = await client.get(kinds.Pod, { namespace, name });
    return { uid: pod.metadata.uid ?? '', ask: await wayTo(config, pod, options.port) };
  } catch (error) {
    return errorText(error);
  }
}

async function wayTo(
  config: PooledKubeConfig,
  pod: KubeObject,
  port: number,
): Promise<RequestWorker> {
  const { name, namespace = 'default' } = pod.metadata;
  const through = askAt(
    `${serverOf(config)}/api/v1/namespaces/${namespace}/pods/${name}:${port}/proxy`,
    credentialsOf(config),
  );
  const first = await through('/internal/version');
  // Any other status may be the API server's own: 403 without the right to proxy, 503 where it
  // cannot reach the pod.
  const isThere = first.ok && first.status === 200;
  const ip = asString(dig(pod, 'status', 'podIP'));
  if (isThere || ip === undefined) return through;
  const direct = askAt(`http://${hostAndPort(ip, port)}`);
  return (await direct('/internal/version')).ok ? direct : through;
}
