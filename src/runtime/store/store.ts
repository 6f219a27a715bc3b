// What do all kinds know of the cluster besides their own objects? Cached once for all of them.
import type { KubeApi } from '../client/api.ts';
import { ConfigMaps, type Marks } from './config-maps.ts';
import { Workloads } from './workloads.ts';

export type Store = { readonly workloads: Workloads; readonly configMaps: ConfigMaps };

export const makeStore = (api: Pick<KubeApi, 'get'>, marks: Marks): Store => ({
  workloads: new Workloads(),
  configMaps: new ConfigMaps(api, marks),
});
