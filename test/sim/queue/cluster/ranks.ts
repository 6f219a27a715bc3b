// What do nodes do with the pods of batch Jobs? They bind and start them, end them as their command
// says, and report it, unless the node is lost.
import { kinds } from '../../../../src/api/kinds.ts';
import {
  asList,
  asNumber,
  asRecord,
  asString,
  dig,
  type KubeObject,
} from '../../../../src/api/objects.ts';
import { Actor, type Surroundings } from '../../cluster/actor.ts';
import { hasEnded, isReady, isTerminating, ownerUid } from '../../cluster/facts.ts';
import { type Work, workIn } from '../work.ts';
import { evict } from './evict.ts';
import type { Gangs } from './gangs.ts';
import { rankOf } from './missing-pods.ts';
import { ADDRESSES, keysOf, startOf } from './pod-start.ts';

/** Forty seconds on a real cluster. */
const NOTICED_MS = 2_000;
/** Five minutes on a real cluster. */
const EVICTED_MS = 5_000;
const DOWN_AGAIN_MS = 300;
const KEYS_AGAIN_MS = 100;
const JOB_UID = 'k8slab.info/job-uid';
/** From a change of a pod until its files show it. */
const LONGEST_SYNC_MS = 900;

/** From the end of a leader until Kubernetes, or the operator, has told the others to end. */
const FOLLOWS_WITHIN_MS = 8_000;
const LOOKS_MS = 250;

type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

class Rank {
  readonly pod: KubeObject;
  readonly work: Work;
  phase: Phase = 'Pending';
  isReady = false;
  exitCode: number | undefined;
  /** Why its container does not start. */
  trouble: string | undefined;
  isEnding = false;
  /** Its command has begun. */
  hasBegun = false;

  constructor(pod: KubeObject, work: Work) {
    this.pod = pod;
    this.work = work;
  }

  get hasEnded(): boolean {
    return this.phase === 'Succeeded' || this.phase === 'Failed';
  }
}

type Node = { readonly name: string; isUp: boolean };

const podNodeOf = (pod: KubeObject): string | undefined => asString(dig(pod, 'spec', 'nodeName'));

export class RankNodes {
  readonly #in: Surroundings;
  readonly nodes: readonly Node[];
  readonly #ranks = new Map<string, Rank>();
  /** By UID of the SwarmJob: its batch Jobs in turn. Of a user's Job: its pods. */
  readonly #attempts = new Map<string, string[]>();
  readonly #actor: Actor;

  readonly #most: number;
  readonly #gangs: Gangs;

  constructor(
    surroundings: Surroundings,
    gangs: Gangs,
    most = Number.POSITIVE_INFINITY,
    count = 3,
  ) {
    this.#in = surroundings;
    this.#gangs = gangs;
    this.#most = most;
    this.nodes = Array.from({ length: count }, (_, index) => ({
      name: `node-${index}`,
      isUp: true,
    }));
    this.#actor = new Actor(surroundings, [kinds.Pod], () => this.#review());
  }

  #review(): void {
    const { server, random } = this.#in;
    const up = this.nodes.filter(({ isUp }) => isUp);
    const pods = server.all({ kind: kinds.Pod });
    let bound = pods.filter((pod) => podNodeOf(pod) !== undefined && !hasEnded(pod)).length;
    for (const pod of this.#inTurn(pods)) {
      const uid = pod.metadata.uid ?? '';
      if (podNodeOf(pod) === undefined) {
        if (isTerminating(pod) || up.length === 0 || workIn(pod).never === 'bound') continue;
        if (bound >= this.#most) continue;
        bound += 1;
        const spec = { ...asRecord(pod['spec']), nodeName: random.pick(up).name };
        this.#take(server.merge(kinds.Pod, pod.metadata, { spec }));
      } else if (!this.#ranks.has(uid) && !hasEnded(pod)) this.#take(pod);
      this.#see(pod);
    }
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of this.#ranks.keys()) if (!uids.has(uid)) this.#ranks.delete(uid);
  }

  /** With little room chance decides whose pods get it, as with a scheduler. */
  #inTurn(pods: readonly KubeObject[]): readonly KubeObject[] {
    if (this.#most === Number.POSITIVE_INFINITY) return pods;
    return pods
      .map((pod) => ({ pod, turn: this.#in.random.next() }))
      .sort((a, b) => a.turn - b.turn)
      .map(({ pod }) => pod);
  }

  #isUp(pod: KubeObject): boolean {
    return this.nodes.find(({ name }) => name === podNodeOf(pod))?.isUp === true;
  }

  #take(pod: KubeObject): void {
    const { clock, random } = this.#in;
    const rank = new Rank(pod, this.#workOf(pod));
    this.#ranks.set(pod.metadata.uid ?? '', rank);
    clock.after(rank.work.startsInMs ?? random.between(20, 400), () => this.#start(rank));
  }

  /** Of its attempt. */
  #workOf(pod: KubeObject): Work {
    const work = workIn(pod);
    const owner = ownerUid(pod) ?? '';
    const swarmJob = pod.metadata.annotations?.[JOB_UID];
    // A batch Job of a user makes another pod for one that has failed.
    const [job, attempt] =
      swarmJob === undefined ? [owner, pod.metadata.uid ?? ''] : [swarmJob, owner];
    const attempts = this.#attempts.get(job) ?? [];
    if (!attempts.includes(attempt)) attempts.push(attempt);
    this.#attempts.set(job, attempts);
    // It waits until it is told to end.
    if (startOf(pod).isFollower) return withoutEnd(work);
    const isFailing = attempts.indexOf(attempt) < (work.failsFirst ?? 0);
    return isFailing ? { ...work, exitCode: 3, forMs: work.forMs ?? 500 } : work;
  }

  #start(rank: Rank): void {
    const { clock, random } = this.#in;
    if (rank.phase !== 'Pending' || rank.isEnding || !this.#isUp(rank.pod)) return;
    if (!this.#hasKeys(rank)) {
      clock.after(KEYS_AGAIN_MS, () => this.#start(rank));
      return;
    }
    if (rank.work.never === 'started') {
      rank.trouble = 'ImagePullBackOff';
      this.#report(rank);
      return;
    }
    rank.phase = 'Running';
    this.#report(rank);
    clock.after(rank.work.readyInMs ?? random.between(10, 300), () => {
      if (rank.phase !== 'Running' || rank.isEnding) return;
      rank.isReady = true;
      this.#report(rank);
    });
    this.#gangs.start(rank.pod);
    if (startOf(rank.pod).waits) this.#see(rank.pod);
    else this.#begin(rank);
  }

  /** Its volume cannot be mounted without them. */
  #hasKeys({ pod }: Rank): boolean {
    const name = keysOf(pod);
    if (name === undefined) return true;
    const { namespace = '' } = pod.metadata;
    const keys = this.#in.server.find(kinds.Secret, { namespace, name });
    if (keys !== undefined) this.#gangs.mount(pod, keys);
    return keys !== undefined;
  }

  /** The files of the pod are written again a while after each change of it. */
  #beginLater(rank: Rank, pod: KubeObject): void {
    const addresses = pod.metadata.annotations?.[ADDRESSES] ?? '';
    if (rank.phase !== 'Running' || rank.hasBegun || addresses === '') return;
    if (!startOf(rank.pod).waits) return;
    rank.hasBegun = true;
    const { clock, random } = this.#in;
    clock.after(random.between(20, LONGEST_SYNC_MS), () => {
      if (rank.phase !== 'Running' || rank.isEnding || !this.#isUp(rank.pod)) return;
      this.#gangs.begin(rank.pod, addresses);
      this.#begin(rank);
    });
  }

  #begin(rank: Rank): void {
    const { clock } = this.#in;
    rank.hasBegun = true;
    if (rank.work.forMs !== undefined)
      clock.after(rank.work.forMs, () => this.#end(rank, rank.work.exitCode ?? 0));
  }

  #see(pod: KubeObject): void {
    const rank = this.#ranks.get(pod.metadata.uid ?? '');
    if (rank === undefined || !this.#isUp(pod)) return;
    // After a restoration the API server may know less.
    if (rank.hasEnded && (isTerminating(pod) || !hasEnded(pod))) this.#report(rank);
    else if (isTerminating(pod) && !rank.hasEnded && !rank.isEnding) this.#terminate(rank, pod);
    else this.#beginLater(rank, pod);
  }

  #terminate(rank: Rank, pod: KubeObject): void {
    const { clock, random } = this.#in;
    rank.isEnding = true;
    const graceMs = (asNumber(dig(pod, 'metadata', 'deletionGracePeriodSeconds')) ?? 30) * 1000;
    const endsInMs = rank.work.endsInMs ?? random.between(5, 300);
    const inMs = rank.phase === 'Pending' ? random.between(1, 30) : Math.min(graceMs, endsInMs);
    const endsWell = rank.work.endsWell === true && rank.hasBegun;
    clock.after(inMs, () => this.#end(rank, endsWell ? 0 : 143));
  }

  #end(rank: Rank, exitCode: number): void {
    if (rank.hasEnded || !this.#isUp(rank.pod)) return;
    this.#gangs.end(rank.pod, this.#hasAddresses(rank.pod));
    rank.exitCode = exitCode;
    rank.phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    rank.isReady = false;
    this.#report(rank);
    if (rankOf(rank.pod) === 0) this.#checkFollowersEnd(rank.pod);
  }

  /** The followers must end some time after their leader, grace period included. */
  #checkFollowersEnd(leader: KubeObject): void {
    const { clock, server } = this.#in;
    const graceMs = 1000 * (asNumber(dig(leader, 'spec', 'terminationGracePeriodSeconds')) ?? 30);
    const isAlive = (it: Rank): boolean =>
      ownerUid(it.pod) === ownerUid(leader) && startOf(it.pod).isFollower && !it.hasEnded;
    let leftMs = graceMs + FOLLOWS_WITHIN_MS;
    const look = (): void => {
      const survivors = [...this.#ranks.values()].filter(isAlive).map(({ pod }) => pod);
      if (survivors.length === 0) return;
      leftMs -= LOOKS_MS;
      // An API server may be back as of an earlier time, and a node hears of nothing meanwhile.
      const isCutOff = server.isDown || survivors.some((pod) => !this.#isUp(pod));
      if (isCutOff) leftMs = graceMs + FOLLOWS_WITHIN_MS;
      if (leftMs > 0) clock.after(LOOKS_MS, look);
      else
        this.#gangs.reportSurvivors(
          leader,
          survivors.map(({ metadata }) => metadata.name),
        );
    };
    clock.after(LOOKS_MS, look);
  }

  /** At least one pod of its attempt has them. */
  #hasAddresses(pod: KubeObject): boolean {
    return this.#in.server
      .all({ kind: kinds.Pod })
      .some(
        (it) =>
          ownerUid(it) === ownerUid(pod) && (it.metadata.annotations?.[ADDRESSES] ?? '') !== '',
      );
  }

  #report(rank: Rank): void {
    const { server, clock } = this.#in;
    if (!this.#isUp(rank.pod)) return;
    if (server.isDown) {
      clock.after(DOWN_AGAIN_MS, () => this.#report(rank));
      return;
    }
    const { metadata } = rank.pod;
    const present = server.find(kinds.Pod, metadata);
    if (present === undefined || present.metadata.uid !== metadata.uid) return;
    if (!hasEnded(present))
      server.replace(kinds.Pod, { ...present, status: statusOf(rank, present) }, 'status');
    if (rank.hasEnded && isTerminating(present))
      server.remove(kinds.Pod, metadata, { uid: metadata.uid ?? '' }, 0);
  }

  /** Its containers end with it; the API server hears of that when it is back. */
  lose(index: number, forMs: number): void {
    const { clock } = this.#in;
    const node = this.nodes[index % this.nodes.length];
    if (node?.isUp !== true) return;
    node.isUp = false;
    clock.after(NOTICED_MS, () => this.#notice(node, false));
    clock.after(EVICTED_MS, () => this.#notice(node, true));
    clock.after(forMs, () => {
      node.isUp = true;
      for (const rank of this.#ranks.values())
        if (podNodeOf(rank.pod) === node.name && !rank.hasEnded) this.#end(rank, 137);
      this.#actor.poke();
    });
  }

  /** The control plane marks the node's pods, and evicts them later. */
  #notice(node: Node, evicts: boolean): void {
    const { server, clock } = this.#in;
    if (node.isUp) return;
    if (server.isDown) {
      clock.after(DOWN_AGAIN_MS, () => this.#notice(node, evicts));
      return;
    }
    for (const pod of server.all({ kind: kinds.Pod })) {
      if (podNodeOf(pod) !== node.name || hasEnded(pod)) continue;
      if (evicts) evict(server, pod, 'DeletionByTaintManager');
      else if (isReady(pod)) {
        const conditions = [{ type: 'Ready', status: 'False', reason: 'NodeLost' }];
        server.replace(
          kinds.Pod,
          { ...pod, status: { ...asRecord(pod['status']), conditions } },
          'status',
        );
      }
    }
  }
}

/** Of no other pod. */
export const addressOf = ({ metadata: { name } }: KubeObject): string => `ip-of-${name}`;

const withoutEnd = ({ forMs: _, failsFirst: __, ...work }: Work): Work => work;

function statusOf({ phase, isReady: ready, exitCode, trouble }: Rank, present: KubeObject): object {
  const kept = asList(dig(present, 'status', 'conditions')).filter(
    (it) => dig(it, 'type') !== 'Ready',
  );
  const state =
    exitCode === undefined
      ? trouble !== undefined && { waiting: { reason: trouble } }
      : { terminated: { exitCode } };
  return {
    phase,
    ...(phase !== 'Pending' && { podIP: addressOf(present) }),
    conditions: [...kept, { type: 'Ready', status: ready ? 'True' : 'False' }],
    ...(state !== false && { containerStatuses: [{ name: 'main', state }] }),
  };
}
