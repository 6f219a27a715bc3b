// A proxy in front of a TCP port that can go silent: open connections stay open and carry nothing
// any more, and new ones work.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type SilentProxy = {
  readonly port: number;
  readonly connections: number;
  goSilent(): void;
  stop(): Promise<void>;
};

export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    open.add(near).add(far);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      from.on('data', (bytes) => silent.has(from) || to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        open.delete(from);
        silent.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    get connections() {
      return open.size / 2;
    },
    goSilent: () => {
      for (const socket of open) silent.add(socket);
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
