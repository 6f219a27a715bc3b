// What can go wrong? The twenty-one faults: each is injected at one call of an operator, before or
// after it was carried out, or between calls.
import { KubeError } from '../../../src/runtime/client/errors.ts';
import type { Call } from '../../support/memory-api.ts';
import type { SimOperator } from '../operator/sim-operator.ts';
import type { Random } from '../random.ts';
import type { SimWorld } from '../world.ts';
import { restore } from './restoration.ts';
import type { FaultName } from './story.ts';

export type Injection = {
  readonly world: SimWorld;
  readonly operator: SimOperator;
  readonly random: Random;
  /** The call at which it is injected, if any. */
  readonly call: Call | undefined;
  readonly side: 'before' | 'after';
  readonly how: string | undefined;
};

/**
 * The outcome of the call: as usual, an error in place of its response, no response for ever, or it
 * was on its way before its sender froze.
 */
export type Outcome = undefined | KubeError | 'hang' | { readonly onItsWayMs: number };

export type Fault = {
  readonly says: string;
  /** Only for faults where it makes a difference; otherwise both. */
  readonly side?: 'before' | 'after';
  readonly inject: (injection: Injection) => Outcome;
};

/** Changes the network for a while. */
function for_(
  injection: Injection,
  ms: number,
  change: (network: SimOperator['network']) => void,
  undo: (network: SimOperator['network']) => void,
): void {
  const { world, operator } = injection;
  change(operator.network);
  world.disturb(ms);
  world.clock.after(ms, () => {
    undo(operator.network);
    for (const watch of operator.network.watches) watch.poke();
  });
}

const refusing =
  (
    make: (injection: Injection) => KubeError,
    ms: (random: Random) => number,
    of: (call: Call) => boolean = () => true,
  ) =>
  (injection: Injection): Outcome => {
    const error = make(injection);
    for_(
      injection,
      ms(injection.random),
      (network) => {
        network.refuse = (call) => (of(call) ? error : undefined);
      },
      (network) => {
        network.refuse = undefined;
      },
    );
    return injection.side === 'before' && injection.call !== undefined && of(injection.call)
      ? error
      : undefined;
  };

const LONGEST_REFUSAL_MS = 6_000;
/** The engine's pace for retries of refused writes. */
const REFUSED_AGAIN_MS = 16_000;

const isWrite = ({ verb, kind }: Call): boolean =>
  !['get', 'list', 'watch'].includes(verb) && kind.kind !== 'Lease';

function die({ world, operator, random }: Injection): Outcome {
  world.kill(operator, random.between(50, 3_000));
  return 'hang';
}

const breakWatches = (injection: Injection, error: () => KubeError): void => {
  for (const watch of [...injection.operator.network.watches])
    if (injection.random.chance(0.8)) watch.fail(error());
};

/** The longest pause between two attempts of a watch. */
const LONGEST_WAIT_MS = 10_000;

/** Everything that was read since an earlier moment is read as of that moment. */
function goBack(injection: Injection, ms: number): void {
  const { world, random } = injection;
  const { version } = world.server;
  for_(
    injection,
    ms,
    (network) => {
      network.horizon = Math.max(10, version - random.between(1, 40));
    },
    (network) => {
      network.horizon = undefined;
      // Failed watches retry within this time, one kind before another: until then the caches are
      // of two different times.
      world.excuse(world.clock.monotonic() + LONGEST_WAIT_MS);
    },
  );
}

export const faults: Readonly<Record<FaultName, Fault>> = {
  F1: { says: 'the operator is killed before the call', side: 'before', inject: die },
  F2: {
    says: 'the operator is killed after the call, before it has the answer',
    side: 'after',
    inject: die,
  },
  F3: {
    says: 'the response is lost after the call was carried out',
    side: 'after',
    inject: ({ random }) =>
      random.chance(0.3)
        ? new KubeError('Timeout', 'no response in time')
        : new KubeError('Unreachable', 'socket hang up'),
  },
  F4: {
    says: 'reads return an earlier state',
    inject: (injection) => {
      goBack(injection, injection.random.between(500, 4_000));
      return undefined;
    },
  },
  F5: {
    says: 'the operator is killed, and reads an earlier state when it starts again',
    inject: (injection) => {
      goBack(injection, injection.random.between(3_000, 14_000));
      return die(injection);
    },
  },
  F6: {
    says: 'events are delayed, and several changes arrive as one',
    inject: (injection) => {
      const { random, world, operator } = injection;
      const ms = random.between(500, 5_000);
      const held = [...operator.network.watches].filter(() => random.chance(0.7));
      for (const watch of held) watch.silence();
      world.disturb(ms);
      world.clock.after(ms, () => {
        world.server.compact();
        for (const watch of held)
          watch.fail(new KubeError('Gone', 'too old resource version', { status: 410 }));
      });
      return undefined;
    },
  },
  F7: {
    says: 'events are sent again, as ADDED',
    inject: ({ operator, random }) => {
      for (const watch of operator.network.watches)
        if (random.chance(0.7)) watch.replay(random.between(1, 30));
      return undefined;
    },
  },
  F8: {
    says: 'watches end with 410 Gone',
    inject: (injection) => {
      injection.world.server.compact();
      breakWatches(
        injection,
        () => new KubeError('Gone', 'too old resource version', { status: 410 }),
      );
      return injection.call?.verb === 'list' && injection.side === 'before'
        ? new KubeError('Gone', 'the page is too old', { status: 410 })
        : undefined;
    },
  },
  F9: {
    says: 'watches go silent: open, and without events',
    inject: ({ operator, random, world, how }) => {
      for (const watch of operator.network.watches)
        if (how === undefined ? random.chance(0.8) : watch.kind === how) watch.silence();
      world.disturb(9_000);
      return undefined;
    },
  },
  F10: {
    says: 'responses cannot be parsed',
    inject: (injection) => {
      breakWatches(injection, () => new KubeError('BadAnswer', 'Unexpected token < in JSON'));
      return injection.call === undefined
        ? undefined
        : new KubeError('BadAnswer', 'Unexpected token < in JSON');
    },
  },
  F11: {
    says: 'writes are answered with 409',
    side: 'before',
    inject: refusing(
      () => new KubeError('Conflict', 'the object has been modified', { status: 409 }),
      (random) => random.between(1, 400),
      isWrite,
    ),
  },
  F12: {
    says: 'calls are answered with 429 or 5xx',
    side: 'before',
    inject: refusing(
      ({ random }) =>
        random.chance(0.5)
          ? new KubeError('TooManyRequests', 'too many requests', {
              status: 429,
              retryAfterMs: 1_000,
            })
          : new KubeError('Unavailable', 'etcdserver: leader changed', { status: 503 }),
      (random) => random.between(1, 3_000),
    ),
  },
  F13: {
    says: 'writes are refused with 403',
    side: 'before',
    inject: (injection) => {
      const kind = injection.call?.kind.kind;
      injection.world.quietAfter =
        injection.world.clock.monotonic() + LONGEST_REFUSAL_MS + REFUSED_AGAIN_MS;
      const of = (call: Call): boolean =>
        isWrite(call) &&
        (injection.call === undefined || !isWrite(injection.call) || call.kind.kind === kind);
      return refusing(
        () => new KubeError('Forbidden', 'exceeded quota, or not allowed', { status: 403 }),
        (random) => random.between(200, LONGEST_REFUSAL_MS),
        of,
      )(injection);
    },
  },
  F14: {
    says: 'every call takes five seconds',
    inject: (injection) => {
      const ms = injection.random.between(2_000, 12_000);
      // The last of them ends later.
      injection.world.disturb(ms + 5_000);
      for_(
        injection,
        ms,
        (network) => {
          network.slowMs = 5_000;
        },
        (network) => {
          network.slowMs = 0;
        },
      );
      return undefined;
    },
  },
  F15: {
    says: 'the API server goes down and comes back, without its watch cache',
    inject: ({ world, random, call }) => {
      const { server, clock, operators } = world;
      const ms = random.between(300, 6_000);
      server.isDown = true;
      world.disturb(ms + 1_000);
      for (const { network } of operators)
        for (const watch of [...network.watches])
          watch.fail(new KubeError('Unreachable', 'socket hang up'));
      clock.after(ms, () => {
        server.isDown = false;
        server.compact();
      });
      return call === undefined ? undefined : new KubeError('Unreachable', 'socket hang up');
    },
  },
  F21: {
    says: 'etcd is restored from a snapshot',
    inject: restore,
  },
  F16: {
    says: 'the operator is frozen past its lease, and wakes',
    inject: ({ world, operator, random, side, call }) => {
      const ms = random.between(8_500, 14_000);
      world.disturb(ms);
      world.clock.after(ms, () => operator.thaw());
      if (side === 'before' && call !== undefined && random.chance(0.4)) {
        // The operator's last call arrives when another replica leads.
        world.clock.after(0, () => operator.freeze());
        return { onItsWayMs: random.between(100, ms + 2_000) };
      }
      operator.freeze();
      return undefined;
    },
  },
  F17: {
    says: 'a user edits or deletes what the operator made',
    inject: ({ world, random, how }) => {
      world.editByHand(random, how);
      return undefined;
    },
  },
  F18: {
    says: 'a worker crashes, or its node is cut off or goes down',
    inject: ({ world, random }) => {
      world.breakWork(random);
      return undefined;
    },
  },
  F19: {
    says: 'token and CA are rotated: every call gets a 401, every connection ends',
    inject: (injection) => {
      breakWatches(injection, () => new KubeError('Unauthorized', 'Unauthorized', { status: 401 }));
      return refusing(
        () => new KubeError('Unauthorized', 'Unauthorized', { status: 401 }),
        (random) => random.between(200, 4_000),
      )(injection);
    },
  },
  F20: {
    says: "the operator's clock jumps by an hour",
    inject: ({ operator, random }) => {
      operator.setWallOffset(random.chance(0.5) ? 3_600_000 : -3_600_000);
      return undefined;
    },
  },
};
