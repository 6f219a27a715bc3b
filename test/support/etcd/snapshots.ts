// Saves the data of a control plane's etcd to a file, and restores it.
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findBinaries } from '../../../src/playground/binaries/binaries.ts';
import {
  etcdUrls,
  filesIn,
  MEMBER,
} from '../../../src/playground/control-plane/component-arguments.ts';
import type { ControlPlane } from '../../../src/playground/control-plane/control-plane.ts';
import { bytesOf, callGrpc } from './grpc.ts';

export interface RestoreOptions {
  /**
   * How far above the snapshot's revisions etcd continues; older revisions count as compacted. Left
   * out: etcd assigns the same revisions again.
   */
  readonly bumpedBy?: number;
}

/** The field `blob` of etcd's SnapshotResponse: a part of the file. */
const blobField = 3;

/** The method that `etcdctl snapshot save` calls. */
export async function saveSnapshot({ dir, ports }: ControlPlane, file: string): Promise<void> {
  const { etcd, apiServerClient } = filesIn(dir);
  const [ca, cert, key] = await Promise.all(
    [etcd.certificate, apiServerClient.certificate, apiServerClient.key].map((it) => readFile(it)),
  );
  const method = '/etcdserverpb.Maintenance/Snapshot';
  const parts = await callGrpc(etcdUrls(ports).client, method, { ca, cert, key });
  const blob = Buffer.concat(parts.map((part) => bytesOf(part, blobField)));
  await writeFile(file, blob, { mode: 0o600 });
}

/** Restarts all components, etcd with the data of the file. */
export async function restoreSnapshot(
  plane: ControlPlane,
  file: string,
  { bumpedBy }: RestoreOptions,
): Promise<void> {
  const { etcdutl } = await findBinaries(['etcdutl']);
  const { etcdData } = filesIn(plane.dir);
  const { peer } = etcdUrls(plane.ports);
  const bump = bumpedBy === undefined ? [] : [`--bump-revision=${bumpedBy}`, '--mark-compacted'];
  const whileDown = async (): Promise<void> => {
    await rm(etcdData, { recursive: true, force: true });
    await promisify(execFile)(etcdutl, [
      'snapshot',
      'restore',
      file,
      `--data-dir=${etcdData}`,
      `--name=${MEMBER}`,
      `--initial-cluster=${MEMBER}=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      ...bump,
    ]);
  };
  await plane.restart(['etcd', 'apiServer', 'controllerManager'], { whileDown });
}
