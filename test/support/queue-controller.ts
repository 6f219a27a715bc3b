// Which namespaces does the controller of queues wake? Without a cluster: a test tells it of each
// change.
import type { KubeObject } from '../../src/api/objects.ts';
import { QueuedJobs } from '../../src/core/queued-jobs.ts';
import { poolMarks } from '../../src/pool/controller.ts';
import { swarmQueueController } from '../../src/queue/controller.ts';
import { makeStore } from '../../src/runtime/store/store.ts';
import { MemoryApi } from './memory-api.ts';
import { VirtualClock } from './virtual-clock.ts';

export function queueController(isClusterWide: boolean) {
  const clock = new VirtualClock();
  const { batchJobs, configMaps } = makeStore(new MemoryApi(clock), poolMarks);
  const queuedJobs = new QueuedJobs();
  let epochs = 0;
  const controller = swarmQueueController({
    ...{ clock, batchJobs, configMaps, isClusterWide, ledgerNamespace: 'swarm', queuedJobs },
    isWatched: () => true,
    newEpoch: () => {
      epochs += 1;
      return `leader-${epochs}`;
    },
    areWatchesBroken: () => false,
  });
  const woken: string[] = [];
  const subscriptions = controller.subscriptions((key) => woken.push(key));
  const tell = (object: KubeObject, type: 'ADDED' | 'DELETED' = 'ADDED'): void => {
    for (const { kind, slim, onChange } of subscriptions)
      if (kind.kind === object.kind) onChange({ type, object: slim?.(object) ?? object });
  };
  const observe = () => controller.observe('hpc/(all)', undefined);
  return { controller, queuedJobs, subscriptions, woken, tell, observe };
}
