// Whose is each job, and what may its user have of a queue? By the annotation that the job has, or
// had when it was deleted: pods may outlive it. All jobs without it are those of one user.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { USER } from '../manifests.ts';
import { type Amounts, added, amountsIn, excess } from './amounts.ts';
import { type Entry, type LivePod, usageIn } from './scene.ts';

/** What is granted, and what lives. */
export type InUse = { readonly entries: readonly Entry[]; readonly pods: readonly LivePod[] };

type Needing = { readonly job: KubeObject; readonly queue: string; readonly needs: Amounts };

const kindsOfJobs = [kinds.SwarmJob, kinds.Job];

export class Users {
  readonly #server: ApiServer;
  readonly #now: () => number;
  /** By UID: whose a job is, or was, and when that was changed. */
  readonly #known = new Map<string, { readonly user: string; readonly atMs: number }>();

  constructor(server: ApiServer, now: () => number) {
    this.#server = server;
    this.#now = now;
    for (const kind of kindsOfJobs)
      server.onChange(kind, () => {
        for (const job of server.all({ kind, namespace: NAMESPACE })) this.#note(job);
      });
  }

  #note({ metadata: { uid = '', annotations } }: KubeObject): void {
    const user = annotations?.[USER] ?? '';
    const before = this.#known.get(uid);
    if (before?.user === user) return;
    const atMs = before === undefined ? Number.NEGATIVE_INFINITY : this.#now();
    this.#known.set(uid, { user, atMs });
  }

  /** The annotation with the user of the job has not changed for so long. */
  isSettled(uid: string, ms: number): boolean {
    return this.#now() - (this.#known.get(uid)?.atMs ?? Number.NEGATIVE_INFINITY) >= ms;
  }

  /** Nothing says whose pods are that were deleted with their job, if the ledger was lost, too. */
  of(uid: string, entries: readonly Entry[]): string {
    const isPresent = kindsOfJobs
      .flatMap((kind) => this.#server.all({ kind, namespace: NAMESPACE }))
      .some(({ metadata }) => metadata.uid === uid);
    const isKnown = isPresent || entries.some((it) => it.uid === uid);
    return (isKnown ? this.#known.get(uid)?.user : undefined) ?? '';
  }

  /** What the jobs of a user have in use of a queue. */
  usedBy(user: string, queue: string, { entries, pods }: InUse): Amounts {
    const isOwn = (uid: string): boolean => this.of(uid, entries) === user;
    const own = entries.filter(({ uid }) => isOwn(uid));
    return (
      usageIn(
        own,
        pods.filter(({ jobUid }) => isOwn(jobUid)),
      )[queue] ?? {}
    );
  }

  /** Where this job beside what its user has in use is more than the queue allows one user. */
  beyond({ job, queue, needs }: Needing, inUse: InUse, ahead: Amounts = {}): readonly string[] {
    const bound = maxPerUserOf(this.#server, queue);
    if (Object.keys(bound).length === 0) return [];
    const user = this.of(job.metadata.uid ?? '', inUse.entries);
    const all = added([needs, this.usedBy(user, queue, inUse), ahead]);
    const own = Object.entries(all).filter(([name]) => (needs[name] ?? 0) > 0);
    return excess(Object.fromEntries(own), bound);
  }
}

/** What it does not name has no bound. */
export const maxPerUserOf = (server: ApiServer, name: string): Amounts =>
  maxPerUserIn(server.find(kinds.SwarmQueue, { namespace: NAMESPACE, name })?.['spec']);

export const maxPerUserIn = (spec: unknown): Amounts => amountsIn(dig(spec, 'maxPerUser'));
