// What does etcd hold, as a file, and how does it begin from such a file?
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { request } from 'undici';
import { findBinaries } from '../binaries/binaries.ts';
import { etcdUrls, filesIn, type Layout, MEMBER } from './component-arguments.ts';

export interface RestoreOptions {
  /** Revisions go on so far above those of the snapshot, and all before are given up; left out: they are given anew. */
  readonly bumpedBy?: number;
}

/** What `etcdctl snapshot save` asks for; answered in lines of JSON, each with a part of the file. */
export async function saveSnapshot({ ports }: Layout, file: string): Promise<void> {
  const url = `${etcdUrls(ports).client}/v3/maintenance/snapshot`;
  const { statusCode, body } = await request(url, { method: 'POST', body: '{}' });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`etcd gave no snapshot: ${statusCode} ${text.slice(0, 300)}`);
  const lines = text.split('\n').filter((line) => line !== '');
  await writeFile(file, Buffer.concat(lines.map(blobIn)));
}

function blobIn(line: string): Buffer {
  const { result, error }: { result?: { blob?: string }; error?: { message?: string } } = JSON.parse(line);
  if (error !== undefined || result === undefined) throw new Error(`etcd broke off its snapshot: ${error?.message}`);
  return Buffer.from(result.blob ?? '', 'base64');
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
