// How long does a watch last where connections are probed?
import { expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { WatchEvent, WatchOptions } from '../../../../src/runtime/client/api.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { Watcher } from '../../../../src/runtime/watch/watcher.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

it('a watch lasts for minutes, and the first one after a failure for seconds', async () => {
  const clock = new VirtualClock();
  const asked: number[] = [];
  let isForbidden = false;
  class ProbedApi extends MemoryApi {
    override async watchSeconds(): Promise<number> {
      return 150;
    }
    override async *watch(
      kind: Parameters<MemoryApi['watch']>[0],
      namespace: string | undefined,
      watch: WatchOptions,
      options?: Parameters<MemoryApi['watch']>[3],
    ): AsyncGenerator<WatchEvent> {
      asked.push(watch.timeoutSeconds);
      if (isForbidden) throw new KubeError('Forbidden', 'no rule');
      yield* super.watch(kind, namespace, watch, options);
    }
  }
  const stopping = new AbortController();
  const api = new ProbedApi(clock);
  const target = { kind: kinds.SwarmPool, namespace: 'a' };
  const watcher = new Watcher(api, target, { clock, random: () => 0 }, () => undefined);
  const ended = watcher.run(stopping.signal);
  await clock.advance(200_000);
  expect(asked).toEqual([150, 150]);
  isForbidden = true;
  watcher.renew();
  await clock.advance(10_000);
  isForbidden = false;
  asked.length = 0;
  await clock.advance(60_000);
  expect(asked).toEqual([8, 150]);
  stopping.abort();
  await clock.advance(0);
  await ended;
});
