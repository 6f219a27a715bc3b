// GENERATED from crds/ by scripts/generate.ts: change the CRD, then `npm run generate`.

/** What is to be consumed, and by whom. */
export type SwarmPoolSpec = {
  /** The streams, unique by name, in the order in which they are dealt out at first. At most 2,000; longer lists come by streamsFrom. */
  readonly streams?: readonly {
    /** What the worker is told to consume, such as "cnbc" or "stream:xxrtve1". No control characters, no space at either end. */
    readonly name: string;
    /** The part of a worker's capacity that is reserved for this stream (percent, while capacity is 100). All of the capacity means a worker of its own. 0 reserves nothing. Left out, streamDefaults.weight. */
    readonly weight?: number;
    /** Handed to the worker as they are. No credentials here, those belong in a Secret that the worker mounts. */
    readonly parameters?: Readonly<Record<string, string>>;
    /** Where room is short, streams of a higher priority are kept first. Left out, 0. */
    readonly priority?: number;
    /** Streams of one group are spread over workers as far as possible. */
    readonly spreadGroup?: string;
    /** Pins the stream to this worker, by the ordinal of a StatefulSet's pod or the slot of a Deployment. */
    readonly ordinal?: number;
  }[];
  /** Further streams, appended in this order. */
  readonly streamsFrom?: readonly {
    /** A key of a ConfigMap of this namespace, with a YAML list of streams, or a line `name` or `name=weight` for each. */
    readonly configMapKeyRef: {
      readonly name: string;
      readonly key: string;
    };
  }[];
  /** What a stream has that does not say otherwise. */
  readonly streamDefaults: {
    /** The weight of streams that name none. */
    readonly weight: number;
  };
  /** Whose pods consume the streams. Exactly one of selector and targetRef. */
  readonly workers: {
    /** What the selector selects. Left out, StatefulSet (or the kind of targetRef). */
    readonly kind?: 'StatefulSet' | 'Deployment';
    /** Selects the StatefulSets or Deployments by their own labels, not by those of their pods. */
    readonly selector?: {
      readonly matchLabels: Readonly<Record<string, string>>;
    };
    /** Names the one StatefulSet or Deployment of this namespace. */
    readonly targetRef?: {
      readonly apiVersion: 'apps/v1';
      readonly kind: 'StatefulSet' | 'Deployment';
      readonly name: string;
    };
    /** Follow: the pool follows the replicas of its target. Lead: the pool scales its target to workers.replicas, and empties workers before they go. */
    readonly scaling: 'Follow' | 'Lead';
    /** With scaling Lead, how many workers there are to be. Left out, taken over from the target once. `kubectl scale swarmpool` sets it. */
    readonly replicas?: number;
    /** What a worker can carry; the weights of its streams never exceed it. */
    readonly capacity: number;
    /** Ordinals of workers that are given nothing, and from which streams are moved away. */
    readonly cordoned?: readonly number[];
    /** With scaling Lead, how long a scale-down waits for the workers that will go to be empty. */
    readonly drainTimeoutSeconds: number;
    /** What becomes of the streams of a worker that is not Ready. */
    readonly failover?: {
      /** AfterTimeout: others take over after timeoutSeconds. Never: they wait for their worker. Left out, AfterTimeout, or Never with handoff.type Exclusive. */
      readonly policy?: 'AfterTimeout' | 'Never';
      /** How long a worker is waited for. */
      readonly timeoutSeconds: number;
    };
  };
  /** Deny: streams that do not fit stay unassigned, with a reason. Allow: they are spread all the same. */
  readonly overcommit: 'Deny' | 'Allow';
  /** When streams may move that could stay. */
  readonly rebalance: {
    /** Always: loads are kept even with the fewest moves. WhenRequired: only streams that lost their worker move. */
    readonly policy: 'Always' | 'WhenRequired';
    /** How many streams may move in one change; the rest follows in the next. 0 is no bound. */
    readonly maxMoves: number;
  };
  /** Where the assignment is published. */
  readonly assignments: {
    /** The ConfigMap that the workers mount. Left out, <pool>-assignments. */
    readonly configMapName?: string;
    /** The key in it. */
    readonly key: string;
    /** Over how many ConfigMaps the workers are spread, for very long lists. More than 1 makes <name>-0, <name>-1 and so on. */
    readonly shards: number;
    /** Retain: the assignment outlives the pool, workers go on, and a pool that is made anew goes on from it. Delete: it goes ten seconds after the pool, if the pool was deleted by itself; it stays when the definition (CRD) was deleted, or when no operator was there to see the pool go. */
    readonly whenDeleted: 'Retain' | 'Delete';
  };
  /** How a worker whose streams changed comes to know. */
  readonly refresh: {
    /** Reload: the worker reads the file again. Restart: its pod is evicted. Auto: Restart only for workers that did not take up a Reload. */
    readonly mode: 'Reload' | 'Restart' | 'Auto';
    /** With Restart and Auto, how many workers may be away at a time, as a number or a percentage such as "25%". */
    readonly maxUnavailable: number | string;
    /** How long a worker may take to confirm before it counts as stuck. */
    readonly timeoutSeconds: number;
  };
  /** What happens between the old and the new owner of a stream. */
  readonly handoff: {
    /** AtLeastOnce: both may run it for a moment. Exclusive: the new owner is told only when the old one has confirmed that it stopped, or all containers of its pod have ended. */
    readonly type: 'AtLeastOnce' | 'Exclusive';
  };
  /** How a worker is asked which version it runs. */
  readonly probe: {
    /** HTTPGet: by a request to each pod. None: a worker counts as converged when its pod was replaced since. */
    readonly type: 'HTTPGet' | 'None';
    /** The request. */
    readonly httpGet: {
      /** A number, or the name of a container's port. */
      readonly port: number | string;
      /** The path. */
      readonly path: string;
      /** HTTPS does not verify the certificate. */
      readonly scheme: 'HTTP' | 'HTTPS';
    };
  };
  /** Compute and show the plan in status, touch nothing. The annotation k8slab.info/paused does the same. */
  readonly paused: boolean;
};

/** What the operator has seen and done. Written by it alone. */
export type SwarmPoolStatus = {
  /** The generation of the spec that this status speaks of. */
  readonly observedGeneration?: number;
  /** The version of the published assignment. */
  readonly version?: number;
  /** Workers that the target desires. */
  readonly replicas?: number;
  /** The selector of the target's pods as text. */
  readonly selector?: string;
  /** Whose pods the workers are, such as "StatefulSet/swarm-worker". */
  readonly target?: string;
  /** Workers whose pod is Ready. */
  readonly readyReplicas?: number;
  /** Workers that confirmed that they run what they were assigned. */
  readonly convergedReplicas?: number;
  /** Workers that would be enough for the weights. */
  readonly requiredReplicas?: number;
  /** How many streams there are, and how many have a worker. */
  readonly streams?: {
    readonly total: number;
    readonly assigned: number;
    readonly unassigned: number;
  };
  /** The first 100 workers. */
  readonly workers?: readonly {
    /** The pod; or `slot N`, where a Deployment has no pod for it. */
    readonly name: string;
    /** Of a Deployment's worker: its place, which outlives its pods. */
    readonly slot?: number;
    /** The streams that it is assigned. */
    readonly jobs?: readonly string[];
    /** How many it is assigned, where the list is cut short. */
    readonly total?: number;
    /** Of all of them, where the list is cut short: two that differ have different streams. */
    readonly digest?: string;
    /** The sum of their weights. */
    readonly load?: number;
    /** The version at which its streams last changed. */
    readonly version?: number;
    /** The version that it says it runs. */
    readonly reportedVersion?: number;
    /** What is known of it. */
    readonly state: 'Pending' | 'Refreshing' | 'Releasing' | 'Converged' | 'Stuck' | 'Missing' | 'Cordoned';
    /** Why it is in that state. */
    readonly message?: string;
  }[];
  /** The first 100 streams without a worker. */
  readonly unassigned?: readonly {
    readonly name: string;
    readonly reason: string;
    readonly message?: string;
  }[];
  /** While paused, what would change. */
  readonly plan?: {
    /** Streams that would change their worker. */
    readonly total: number;
    readonly moves?: readonly {
      readonly stream: string;
      readonly from?: string;
      readonly to?: string;
      readonly reason: string;
    }[];
  };
  /** The last 20 changes, the newest first. */
  readonly history?: readonly {
    readonly version: number;
    /** Streams that changed their worker. */
    readonly moves: number;
    readonly reason: string;
    readonly publishTime: string;
    /** When every worker had confirmed. */
    readonly convergenceTime?: string;
  }[];
  /** Ready, Converged, Reconciling, Stalled, Overcommitted, Mounted, ProbeUnreachable. */
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly reason: string;
    readonly message: string;
    readonly observedGeneration?: number;
    readonly lastTransitionTime: string;
  }[];
};

export type PoolStream = NonNullable<SwarmPoolSpec['streams']>[number];
