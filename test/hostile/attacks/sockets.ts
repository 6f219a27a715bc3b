// What can a client do to the operator's ports? The network policy admits every pod.
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Attack, Tenant } from '../tenant.ts';

const HELD_MS = 4_000;

/** One address for each pod. */
const addressOf = (index: number): string => `127.0.0.${2 + (index % 20)}`;

async function holding(
  tenant: Tenant,
  ports: readonly number[],
  count: number,
  say: (socket: Socket) => void,
): Promise<void> {
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = connect({
      host: '127.0.0.1',
      port: ports[index % ports.length] ?? 0,
      localAddress: addressOf(index),
    });
    socket.on('error', () => undefined);
    socket.on('connect', () => say(socket));
    return socket;
  });
  await tenant.pause(HELD_MS);
  for (const socket of sockets) socket.destroy();
}

const idle: Attack = {
  kind: 'sockets-idle',
  run: async (tenant) => {
    const { health, metrics } = tenant.ports;
    await holding(tenant, [health, metrics], 600, () => undefined);
    return [];
  },
};

const unfinished: Attack = {
  kind: 'sockets-unfinished',
  run: async (tenant) => {
    const { health, metrics } = tenant.ports;
    await holding(tenant, [health, metrics], 400, (socket) => {
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nx-');
      const trickle = setInterval(() => socket.write('a'), 500);
      socket.on('close', () => clearInterval(trickle));
    });
    return [];
  },
};

const huge: Attack = {
  kind: 'sockets-huge',
  run: async (tenant) => {
    const { health, metrics } = tenant.ports;
    const body = Buffer.alloc(256 * 1024, 'x');
    await holding(tenant, [health, metrics], 40, (socket) => {
      socket.write(
        `POST /${'y'.repeat(4_000)} HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n`,
      );
      socket.write(body);
    });
    return [];
  },
};

/** One request after another, on each connection. */
const scrapers: Attack = {
  kind: 'metrics-asked-by-sixty',
  run: async (tenant) => {
    const until = performance.now() + HELD_MS;
    const scrape = (index: number): Promise<void> =>
      new Promise((resolve) => {
        const question = get(
          {
            host: '127.0.0.1',
            port: tenant.ports.metrics,
            path: '/metrics',
            localAddress: addressOf(index),
          },
          (answer) => {
            answer.resume();
            answer.on('close', resolve);
          },
        );
        question.on('error', () => resolve());
        question.setTimeout(HELD_MS, () => question.destroy());
      });
    const lane = async (_: unknown, index: number): Promise<void> => {
      while (performance.now() < until && !tenant.isEnding) {
        await scrape(index);
        await tenant.pause(10);
      }
    };
    await Promise.all(Array.from({ length: 60 }, lane));
    return [];
  },
};

export const socketAttacks: readonly Attack[] = [idle, unfinished, huge, scrapers];
