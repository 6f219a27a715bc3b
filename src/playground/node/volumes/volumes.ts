// A pod's volumes on this machine: makes them and keeps their contents up to date.
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { V1ServiceAccountTokenProjection, V1Volume } from '@kubernetes/client-node';
import { isMissing, type Missing } from '../containers/environment.ts';
import { type PodFacts, serviceAccountOf } from '../pods/fields.ts';
import type { NodePod } from '../pods/pod-spec.ts';
import type { IssuedToken, NodeApi } from '../requests.ts';
import { writeAtomically } from './atomic-writer.ts';
import { type PayloadInputs, payloadOf, projectionsOf, referencesOf } from './payload.ts';
import type { References } from './references.ts';

/** As a kubelet, the node asks for a new token after 80% of its life, at the latest after a day. */
const TOKEN_SHARE = 0.8;
const TOKEN_DAY_MS = 24 * 3_600_000;

type MissingVolume = Missing & { readonly volume: string };

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

  /** Returns the first volume that cannot be made, and why. */
  async sync(facts: PodFacts): Promise<MissingVolume | undefined> {
    const { pod } = facts;
    const volumes = pod.spec.volumes ?? [];
    const lookup = await this.#references.read(volumes.flatMap(referencesOf));
    for (const { serviceAccountToken } of volumes.flatMap(projectionsOf))
      if (serviceAccountToken !== undefined) await this.#renewToken(pod, serviceAccountToken);
    const token: PayloadInputs['token'] = (wanted) => this.#tokens.get(tokenKey(wanted))?.token;
    let missing: MissingVolume | undefined;
    for (const volume of volumes) {
      const problem = await this.#write(volume, { ...facts, lookup, token });
      missing ??= problem;
    }
    return missing;
  }

  async #write(volume: V1Volume, inputs: PayloadInputs): Promise<MissingVolume | undefined> {
    const group = inputs.pod.spec.securityContext?.fsGroup;
    const dir = this.pathOf(volume.name);
    if (volume.emptyDir !== undefined) {
      if ((await mkdir(dir, { recursive: true })) === undefined) return undefined;
      await chmod(dir, group === undefined ? 0o777 : 0o2777);
      await changeGroup(dir, group);
      return undefined;
    }
    const payload = payloadOf(volume, inputs);
    if (isMissing(payload)) return { ...payload, volume: volume.name };
    await mkdir(dir, { recursive: true });
    await chmod(dir, 0o755);
    if (await writeAtomically(dir, payload, new Date())) await changeGroup(dir, group);
    return undefined;
  }

  async #renewToken(pod: NodePod, wanted: V1ServiceAccountTokenProjection): Promise<void> {
    const key = tokenKey(wanted);
    const now = Date.now();
    const known = this.#tokens.get(key);
    if (known !== undefined && now < known.renewAt) return;
    try {
      const issued = await this.#nodeApi.token(pod.ref, serviceAccountOf(pod), wanted);
      const renewAt = now + Math.min((issued.expiresAt - now) * TOKEN_SHARE, TOKEN_DAY_MS);
      this.#tokens.set(key, { ...issued, renewAt });
    } catch (error) {
      // A token that is still valid serves until the next sync.
      if (known === undefined || now >= known.expiresAt) throw error;
    }
  }
}

const tokenKey = ({ audience, expirationSeconds }: V1ServiceAccountTokenProjection): string =>
  `${audience ?? ''} ${expirationSeconds}`;

/** Only root may; for other users an event on the pod says so (support.ts). */
async function changeGroup(dir: string, group: number | undefined): Promise<void> {
  if (group === undefined || process.getuid?.() !== 0) return;
  await chown(dir, -1, group);
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await chown(path.join(entry.parentPath, entry.name), -1, group);
}
