// What does a request to the API server need that no client makes? The credentials of a kubeconfig.
import { HttpMethod, RequestContext } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import type { PooledKubeConfig } from './config.ts';

export type Credentials = () => Promise<{
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher?: Dispatcher;
}>;

export const serverOf = (config: PooledKubeConfig): string =>
  config.getCurrentCluster()?.server.replace(/\/+$/, '') ?? '';

export const credentialsOf =
  (config: PooledKubeConfig): Credentials =>
  async () => {
    const context = new RequestContext(serverOf(config), HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    const dispatcher = context.getDispatcher();
    return { headers: context.getHeaders(), ...(dispatcher !== undefined && { dispatcher }) };
  };
