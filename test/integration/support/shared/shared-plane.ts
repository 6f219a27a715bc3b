// The control plane that the files of one jest worker share, as one of them sees it.
import path from 'node:path';
import type { ControlPlane } from '../../../../src/playground/control-plane/control-plane.ts';
import { writeKubeconfig } from '../../../../src/playground/control-plane/credentials.ts';

/** Who is slow to answer, or stands still for a while, fails no test. */
export const PATIENCE_SECONDS = 600;

export type SharedPlane = Pick<
  ControlPlane,
  | 'url'
  | 'dir'
  | 'ports'
  | 'kubeconfig'
  | 'authority'
  | 'nodeClient'
  | 'auditLog'
  | 'binaries'
  | 'pids'
>;

/** Where they are to be had; undefined where each has one of its own, as in bench/. */
export const planesUrl = process.env['SWARM_TEST_PLANES'];

/** What would harm the files that come after is refused. */
export async function sharedPlane(from: string): Promise<ControlPlane> {
  const response = await fetch(`${from}/${process.env['JEST_WORKER_ID'] ?? ''}`);
  if (!response.ok) throw new Error(await response.text());
  const plane = (await response.json()) as SharedPlane;
  const refuse = (): never => {
    throw new Error('this control plane is shared: a test that does this needs one of its own');
  };
  return {
    ...plane,
    tokenOf: refuse,
    kubeconfigFor: (identity) => {
      if (typeof identity === 'string') return refuse();
      const file = path.join(plane.dir, `${encodeURIComponent(identity.name)}.kubeconfig`);
      writeKubeconfig(file, plane.url, plane.authority, identity);
      return file;
    },
    restart: refuse,
    stop: async () => undefined,
  };
}
