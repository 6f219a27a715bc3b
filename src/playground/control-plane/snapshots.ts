// What does etcd hold, as a file, and how does it begin from such a file?
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findBinaries } from '../binaries/binaries.ts';
import { etcdUrls, filesIn, type Layout, MEMBER } from './component-arguments.ts';
import { askGrpc, bytesOf } from './grpc.ts';

export interface RestoreOptions {
  /** Revisions go on so far above those of the snapshot, and all before are given up; left out: they are given anew. */
  readonly bumpedBy?: number;
}

/** `blob` of etcd's SnapshotResponse: a part of the file. */
const blobField = 3;

/** What `etcdctl snapshot save` asks for. */
export async function saveSnapshot({ folder, ports }: Layout, file: string): Promise<void> {
  const { etcd, apiServerClient } = filesIn(folder);
  const [ca, cert, key] = await Promise.all([etcd.certificate, apiServerClient.certificate, apiServerClient.key].map((it) => readFile(it)));
  const answers = await askGrpc(etcdUrls(ports).client, '/etcdserverpb.Maintenance/Snapshot', { ca, cert, key });
  await writeFile(file, Buffer.concat(answers.map((answer) => bytesOf(answer, blobField))), { mode: 0o600 });
}

/** In place of what etcd has; it must not be running. */
export async function restoreSnapshot({ folder, ports }: Layout, file: string, { bumpedBy }: RestoreOptions): Promise<void> {
  const { etcdutl } = await findBinaries(['etcdutl']);
  const { etcdData } = filesIn(folder);
  const { peer } = etcdUrls(ports);
  await rm(etcdData, { recursive: true, force: true });
  const bump = bumpedBy === undefined ? [] : [`--bump-revision=${bumpedBy}`, '--mark-compacted'];
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
}
