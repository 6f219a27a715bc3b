// A mounted ConfigMap, changed as a kubelet changes it: a new folder, and one rename of the link
// ..data.
import {
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Slice, writeAssignment } from '../../../src/api/assignment.ts';

export class Volume {
  readonly folder = mkdtempSync(join(tmpdir(), 'swarm-worker-'));
  readonly mount = join(this.folder, 'mount');
  private readonly names = new Set<string>();
  private count = 0;

  constructor() {
    mkdirSync(this.mount);
  }

  get configFile(): string {
    return join(this.mount, 'config.yml');
  }

  /** A folder in which streams can leave files. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** The slice of worker w-0; the pool is at the same version. */
  publish(version: number, jobs: readonly string[], more: Partial<Slice> = {}): void {
    this.write({
      'config.yml': writeAssignment({
        version,
        workloads: new Map([['w-0', { jobs, version, ...more }]]),
      }),
    });
  }

  write(files: Readonly<Record<string, string>>): void {
    this.count += 1;
    const data = `..2026_01_01_00_00_00.${this.count}`;
    mkdirSync(join(this.mount, data));
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(this.mount, data, name), text);
    const before = this.linked();
    symlinkSync(data, join(this.mount, '..data_tmp'));
    renameSync(join(this.mount, '..data_tmp'), join(this.mount, '..data'));
    // These links stay; only a new key brings a new one.
    for (const name of Object.keys(files))
      if (!this.names.has(name)) symlinkSync(join('..data', name), join(this.mount, name));
    for (const name of Object.keys(files)) this.names.add(name);
    if (before !== undefined) rmSync(join(this.mount, before), { recursive: true });
  }

  private linked(): string | undefined {
    try {
      return readlinkSync(join(this.mount, '..data'));
    } catch {
      return undefined;
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
