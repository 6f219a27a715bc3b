// What do a simulated pod's mounted ConfigMaps contain for it at this moment? Parsed once for each
// version.
import { type Assignment, readAssignment, type Slice } from '../../src/api/assignment.ts';
import { kinds } from '../../src/api/kinds.ts';
import {
  asList,
  asRecord,
  asString,
  dig,
  type KubeObject,
  type Ref,
} from '../../src/api/objects.ts';
import { SharedGet } from '../../src/playground/node/volumes/shared-get.ts';
import type { KubeApi } from '../../src/runtime/client/api.ts';
import { hasCode } from '../../src/runtime/client/errors.ts';

type Read = {
  readonly resourceVersion: string | undefined;
  readonly assignments: readonly Assignment[];
};

export class MountedSlices {
  readonly #shared: SharedGet;
  readonly #read = new Map<string, Read>();

  constructor(api: KubeApi) {
    this.#shared = new SharedGet(api);
  }

  static mountedBy(pod: KubeObject): readonly string[] {
    const volumes = asList(dig(pod, 'spec', 'volumes'));
    return volumes.flatMap((volume) => {
      const sources = [volume, ...asList(dig(volume, 'projected', 'sources'))];
      return sources.flatMap((source) => asString(dig(source, 'configMap', 'name')) ?? []);
    });
  }

  /**
   * Its entry with the highest version; undefined if the newest ConfigMaps have no entry for it.
   */
  async sliceOf(
    { namespace, name }: Required<Ref>,
    configMaps: readonly string[],
  ): Promise<Slice | undefined> {
    const found = (
      await Promise.all(
        configMaps.map((configMap) => this.#assignmentsIn({ namespace, name: configMap })),
      )
    ).flat();
    const own = found
      .flatMap(({ workloads }) => workloads.get(name) ?? [])
      .sort((a, b) => b.version - a.version)[0];
    if (own !== undefined || found.length === 0) return own;
    return { jobs: [], version: Math.max(...found.map(({ version }) => version)) };
  }

  async #assignmentsIn(ref: Required<Ref>): Promise<readonly Assignment[]> {
    const key = `${ref.namespace}/${ref.name}`;
    try {
      const object = await this.#shared.get(kinds.ConfigMap, ref);
      const { resourceVersion } = object.metadata;
      const known = this.#read.get(key);
      if (known !== undefined && known.resourceVersion === resourceVersion)
        return known.assignments;
      const texts = Object.values(asRecord(object['data']) ?? {});
      const assignments = texts.flatMap((text) => {
        const read = readAssignment(asString(text) ?? '');
        return read.ok ? [read.assignment] : [];
      });
      this.#read.set(key, { resourceVersion, assignments });
      return assignments;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return [];
      throw error;
    }
  }
}
