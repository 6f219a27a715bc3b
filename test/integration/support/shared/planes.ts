// One control plane for all test files of one jest worker, started by the first that wants it: it
// takes as long to come up as most files then take. Here in the process of jest itself, so that it
// outlives each file, and its guard ends it with the run, however that ends.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import {
  type ControlPlane,
  startControlPlane,
} from '../../../../src/playground/control-plane/control-plane.ts';
import { type Guard, startGuard } from '../../../../src/playground/processes/guard.ts';
import { applyManifests } from './manifests.ts';
import { PATIENCE_SECONDS, type SharedPlane } from './shared-plane.ts';

export type Planes = { readonly url: string; stop(): Promise<void> };

/** `GET /<worker>` answers its control plane, as JSON, once that is up. */
export async function servePlanes(): Promise<Planes> {
  const planes = new Map<string, Promise<ControlPlane>>();
  let guard: Promise<Guard> | undefined;
  const planeOf = (worker: string): Promise<ControlPlane> => {
    guard ??= startGuard();
    const plane = planes.get(worker) ?? guard.then(startPlane);
    planes.set(worker, plane);
    return plane;
  };
  const server = createServer((request, response) => {
    planeOf(request.url ?? '').then(
      (plane) => response.end(JSON.stringify(described(plane))),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      const started = await Promise.allSettled(planes.values());
      await Promise.all(
        started.map((it) => (it.status === 'fulfilled' ? it.value.stop() : undefined)),
      );
      await (await guard)?.close();
    },
  };
}

async function startPlane(guard: Guard): Promise<ControlPlane> {
  const plane = await startControlPlane({
    guard,
    audit: true,
    timeoutSeconds: PATIENCE_SECONDS,
    nodeMonitorGraceSeconds: PATIENCE_SECONDS,
  });
  const { kubectl } = plane.binaries;
  await applyManifests(async (...args) => {
    const all = ['--kubeconfig', plane.kubeconfig, ...args];
    return (await promisify(execFile)(kubectl, all)).stdout;
  });
  return plane;
}

const described = (plane: ControlPlane): SharedPlane => ({
  url: plane.url,
  dir: plane.dir,
  ports: plane.ports,
  kubeconfig: plane.kubeconfig,
  authority: plane.authority,
  nodeClient: plane.nodeClient,
  auditLog: plane.auditLog,
  binaries: plane.binaries,
  pids: plane.pids,
});
