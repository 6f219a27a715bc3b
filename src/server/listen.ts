// How does a server of ours begin and end?
import type { Server } from 'node:http';

export type Served = { readonly port: number; readonly close: () => Promise<void> };

/** Without a host: on all addresses. 0 is any free port. */
export async function listen(
  server: Server,
  port: number,
  host: string | undefined,
): Promise<Served> {
  await new Promise<void>((resolve, reject) => {
    // It stays: a later error (no file descriptor left for a connection) must not end the process.
    server.on('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => resolve());
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
