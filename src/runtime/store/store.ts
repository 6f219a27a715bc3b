// What do all kinds know of the cluster besides their own objects? Cached once for all of them.
import type { KubeApi } from '../client/api.ts';
import { BatchJobs } from './batch-jobs.ts';
import { ConfigMaps, type Marks } from './config-maps.ts';
import { Workloads } from './workloads.ts';

export type Store = {
  readonly workloads: Workloads;
  readonly batchJobs: BatchJobs;
  readonly configMaps: ConfigMaps;
};

export const makeStore = (api: Pick<KubeApi, 'get'>, marks: Marks): Store => ({
  workloads: new Workloads(),
  batchJobs: new BatchJobs(),
  configMaps: new ConfigMaps(api, marks),
});
