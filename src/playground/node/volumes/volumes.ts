// Where do a pod's volumes lie on this machine, and are their contents up to date?
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Missing } from '../containers/environment.ts';
import type { NodePod, Strings } from '../pods/pod-spec.ts';
import type { IssuedToken, NodeApi } from '../requests.ts';
import { writeAtomically } from './atomic-writer.ts';
import { type PayloadInputs, payloadOf } from './payload.ts';
import type { Reference, References } from './references.ts';
import type { FileSource, Volume } from './volume-spec.ts';

export type VolumeFacts = {
  readonly pod: NodePod;
  readonly nodeName: string;
  readonly podIP: string;
  readonly hostIP: string;
  readonly allocatable: Strings;
};

/** A kubelet asks for a new token after 80% of its life, and once a day at the latest. */
const TOKEN_SHARE = 0.8;
const TOKEN_DAY_MS = 24 * 3_600_000;

export class Volumes {
  readonly #dir: string;
  readonly #nodeApi: NodeApi;
  readonly #references: References;
  readonly #tokens = new Map<string, IssuedToken & { readonly renewAt: number }>();

  constructor(dir: string, nodeApi: NodeApi, references: References) {
    this.#dir = dir;
    this.#nodeApi = nodeApi;
    this.#references = references;
  }

  pathOf(volume: string): string {
    return path.join(this.#dir, volume);
  }

  /**
   * Makes what is not there yet and brings the rest up to date; says which volume cannot be made,
   * and why.
   */
  async sync(facts: VolumeFacts): Promise<(Missing & { volume: string }) | undefined> {
    const { pod } = facts;
    const files = pod.volumes.filter((volume) => volume.type === 'files');
    const sources = files.flatMap((volume) => volume.sources);
    const lookup = await this.#references.read(sources.flatMap(referenceOf));
    await this.#renewTokens(pod, sources);
    const inputs: PayloadInputs = {
      ...facts,
      lookup,
      token: (source) => this.#tokens.get(tokenKey(source))?.token,
    };
    let missing: (Missing & { volume: string }) | undefined;
    for (const volume of pod.volumes) {
      const problem = await this.#write(volume, pod, inputs);
      missing ??= problem;
    }
    return missing;
  }

  async #write(
    volume: Volume,
    pod: NodePod,
    inputs: PayloadInputs,
  ): Promise<(Missing & { volume: string }) | undefined> {
    if (volume.type === 'unsupported') return undefined;
    const dir = this.pathOf(volume.name);
    if (volume.type === 'emptyDir') {
      if ((await mkdir(dir, { recursive: true })) === undefined) return undefined;
      await chmod(dir, pod.fsGroup === undefined ? 0o777 : 0o2777);
      await give(dir, pod.fsGroup);
      return undefined;
    }
    const payload = payloadOf(volume, inputs);
    if ('missing' in payload) return { ...payload, volume: volume.name };
    await mkdir(dir, { recursive: true });
    await chmod(dir, 0o755);
    const hasChanged = await writeAtomically(dir, payload, new Date());
    if (hasChanged && pod.fsGroup !== undefined) await giveAll(dir, pod.fsGroup);
    return undefined;
  }

  async #renewTokens(pod: NodePod, sources: readonly FileSource[]): Promise<void> {
    for (const source of sources) {
      if (source.from !== 'token') continue;
      const key = tokenKey(source);
      const now = Date.now();
      const known = this.#tokens.get(key);
      if (known !== undefined && now < known.renewAt) continue;
      try {
        const issued = await this.#nodeApi.token(pod.ref, pod.serviceAccount, source);
        const renewAt = now + Math.min((issued.expiresAt - now) * TOKEN_SHARE, TOKEN_DAY_MS);
        this.#tokens.set(key, { ...issued, renewAt });
      } catch (error) {
        // A token that has some life left serves until the next sync.
        if (known === undefined || now >= known.expiresAt) throw error;
      }
    }
  }
}

const tokenKey = (source: Extract<FileSource, { from: 'token' }>): string =>
  `${source.audience ?? ''} ${source.seconds}`;

const referenceOf = (source: FileSource): Reference[] =>
  source.from === 'configMap' || source.from === 'secret'
    ? [{ from: source.from, name: source.name }]
    : [];

async function give(file: string, group: number | undefined): Promise<void> {
  // Another group's may only be given away by root; support.ts says so in an event.
  if (group !== undefined && process.getuid?.() === 0) await chown(file, -1, group);
}

async function giveAll(dir: string, group: number): Promise<void> {
  await give(dir, group);
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join(entry.parentPath, entry.name);
    await give(file, group);
  }
}
