// What happens when etcd is restored from a snapshot? All components stop, the old objects return,
// and users apply their manifests again.
import { kinds } from '../../../src/api/kinds.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { PATCH_EVERY_MS } from '../../../src/runtime/engine/event-writer.ts';
import type { Injection, Outcome } from './faults.ts';

/**
 * Until an operator has noticed the restoration, part of its view is from before it and part from
 * after.
 */
const NOTICED_MS = 12_000;

/** The API server starts after etcd. */
const STARTING_MS = 400;

export function restore(inject: Injection): Outcome {
  const { world, random, call, how } = inject;
  const { server, clock, operators } = world;
  const isBumped = how === undefined ? random.chance(0.5) : how === 'bumped';
  const agoMs = random.chance(0.7) ? random.between(2_000, 5_000) : random.between(2_000, 120_000);
  // The snapshot is never older than the first Lease: an operator that starts later cannot know
  // what was lost before that.
  const [first] = server.history({ kind: kinds.Lease });
  const version = Math.max(server.versionAt(clock.now() - agoMs), first?.version ?? 0);
  const ms = random.between(300, 6_000);
  const appliedMs = ms + STARTING_MS + random.between(0, 2_000);
  // An operator with silent watches cannot remember changes that it never received.
  const hears = ({ network }: (typeof operators)[number]): boolean =>
    ![...network.watches].some(({ isSilent }) => isSilent);
  const there = operators
    .filter((it) => it.isOn && it.hasSynced && hears(it))
    .map((it) => ({ it, identity: it.identity }));
  world.disturb(appliedMs + 1_000);
  const breakOff = (): void => {
    server.isDown = true;
    for (const { network } of operators)
      for (const watch of [...network.watches])
        watch.fail(new KubeError('Unreachable', 'socket hang up'));
  };
  breakOff();
  clock.after(ms + STARTING_MS, () => {
    server.isDown = false;
  });
  clock.after(ms, () => {
    // Also where another restoration has just ended.
    breakOff();
    for (const { network } of operators) network.horizon = undefined;
    const remembering = there.flatMap(({ it, identity }) =>
      it.isOn && it.identity === identity ? [identity] : [],
    );
    world.restoreServer(new Set(remembering), () =>
      server.restore(version, isBumped ? 1_000 : undefined),
    );
    world.countedAfter = Math.max(
      world.countedAfter,
      clock.monotonic() + NOTICED_MS + PATCH_EVERY_MS,
    );
    world.excuse(clock.monotonic() + NOTICED_MS);
    world.record(`restored as of ${agoMs} ms before${isBumped ? ', bumped' : ''}`);
  });
  // Users apply their manifests again.
  clock.after(appliedMs, () => world.reapply());
  return call === undefined ? undefined : new KubeError('Unreachable', 'socket hang up');
}
