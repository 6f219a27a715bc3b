// GENERATED from crds/ by scripts/generate.ts: change the CRD, then `npm run generate`.

/** What is scaled together, to which size, and how. */
export type SwarmGroupSpec = {
  /** The size of the group; `kubectl scale swarmgroup` and autoscalers set it. Left out, taken over from the members once, if there is a size that gives each of them what it has. For policy.type Manual: with every other type no new value is taken. */
  readonly replicas?: number;
  /** What is scaled together, in this namespace, unique by kind and name. At most 100. A member has ceil(ratio x size) replicas, within its own bounds. */
  readonly members?: readonly {
    /** That of its kind, such as example.org/v1. Left out, that of Deployments, StatefulSets and SwarmPools. Any other kind needs it, a scale subresource, and to be named by the administrator (--member-kinds). */
    readonly apiVersion?: string;
    /** Deployment, StatefulSet or SwarmPool, or with its apiVersion another one. A SwarmPool must have workers.scaling Lead. */
    readonly kind: string;
    /** Its name. */
    readonly name: string;
    /** With transition.order Staged, its place in the order: a lower stage is scaled up earlier and scaled down later. Left out, memberDefaults.stage. */
    readonly stage?: number;
    /** How many replicas it has for each unit of the size: a whole number, or a decimal text such as "1.5". Left out, memberDefaults.ratio. */
    readonly ratio?: number | string;
    /** The fewest replicas that it is given. Left out, memberDefaults.minReplicas. */
    readonly minReplicas?: number;
    /** The most replicas that it is given. Left out, memberDefaults.maxReplicas. */
    readonly maxReplicas?: number;
    /** Which part of its replicas must be ready for its stage and for the group, such as "0.9". Left out, memberDefaults.readyFraction. */
    readonly readyFraction?: number | string;
  }[];
  /** Selects all Deployments and StatefulSets of this namespace that have these labels themselves; not by the labels of their pods. At most 100 may be selected. */
  readonly selector?: {
    /** Labels that a member must have, each with just this value. */
    readonly matchLabels: Readonly<Record<string, string>>;
  };
  /** What a member has that does not say otherwise; with a selector, what all members have. */
  readonly memberDefaults: {
    /** Left out, 0. */
    readonly stage: number;
    /** A whole number, or a decimal text such as "1.5". Left out, 1. */
    readonly ratio: number | string;
    /** Left out, 0. */
    readonly minReplicas: number;
    /** Left out, no bound. */
    readonly maxReplicas?: number;
    /** Which part of the replicas must be ready, such as "0.9". Left out, 1. */
    readonly readyFraction: number | string;
  };
  /** What decides the size, and within which bounds. */
  readonly policy: {
    /** Manual: spec.replicas, which users, autoscalers and programs set. Random: another size each period, for measurements. Schedule: that of the schedule that was due last. Prometheus: what a metric asks for. Left out, Manual. */
    readonly type: 'Manual' | 'Random' | 'Schedule' | 'Prometheus';
    /** How often the size is decided. With type Random, how long each size stays. Left out, 60. */
    readonly periodSeconds: number;
    /** The smallest size, with every type. Left out, 0 with type Manual, else 1. */
    readonly minReplicas?: number;
    /** The largest size, with every type. Required, unless the type is Manual. Left out, no bound. */
    readonly maxReplicas?: number;
    /** With type Random alone. */
    readonly random?: {
      /** The n-th size follows from the seed and n alone: the same seed walks the same way. */
      readonly seed: number;
    };
    /** With type Prometheus alone: the size is ceil(value / target). */
    readonly prometheus?: {
      /** A source that the administrator has configured, and that this namespace may use. Left out, default. */
      readonly source: string;
      /** In PromQL. It must give one number, such as by sum(). */
      readonly query: string;
      /** What one unit of size carries: a decimal text above 0, such as "100" or "0.5". */
      readonly target: string;
      /** Nothing changes while value / target is within this part of the size, as in an HPA: a decimal text from 0 to 1. Left out, 0.1. */
      readonly tolerance: string;
      /** An older sample is none. Left out, twice policy.periodSeconds. */
      readonly staleAfterSeconds?: number;
      /** The size falls only to what all proposals of so long ask for; a new leader and an edit of the group begin anew. Left out, 300. */
      readonly scaleDownAfterSeconds: number;
    };
    /** With type Schedule what sets the size, with every other type what sets its bounds. Of all, the one that was due last counts. */
    readonly schedules?: readonly {
      /** Its name, unique in the list. */
      readonly name: string;
      /** Five fields as of cron: minute, hour, day of the month (L: the last), month, day of the week. A time that a change of the clock skips is due at the change; one that it repeats is due once. */
      readonly schedule: string;
      /** The zone whose clock counts, such as Europe/Paris. Left out, UTC. */
      readonly timeZone: string;
      /** With type Schedule: the size from then on. */
      readonly replicas?: number;
      /** With every other type: policy.minReplicas from then on. Left out, that of the policy. */
      readonly minReplicas?: number;
      /** With every other type: policy.maxReplicas from then on. Left out, that of the policy. */
      readonly maxReplicas?: number;
    }[];
  };
  /** How the members get from one size to another. */
  readonly transition: {
    /** Together: all members' new sizes are on their way at once. Staged: by stage going up, in reverse going down, each stage ready before the next, until the time-out. Left out, Together. */
    readonly order: 'Together' | 'Staged';
    /** How long a member whose turn it is may make no progress. Left out, 300. */
    readonly timeoutSeconds: number;
    /** Keep: the new size stays, and the stages that have waited get it, too. Rollback: every member goes back to what it had when the group was last at rest, by stage in reverse order; a stage that makes no progress stops no other. Left out, Keep. */
    readonly onTimeout: 'Keep' | 'Rollback';
    /** How long a size that timed out is not tried again; doubled each time, up to an hour. Another size is tried at once, and so is the same one after an edit of the group, a change of a member, or another value of its annotation k8slab.info/retry. Left out, 300. */
    readonly retryAfterSeconds: number;
  };
  /** Show what would be done, and touch nothing. The annotation k8slab.info/paused set to "true" does the same, where the spec is kept in Git. Left out, false. */
  readonly paused: boolean;
};

/** What the operator has seen and done. Written by it alone. */
export type SwarmGroupStatus = {
  /** The generation of the spec that this status speaks of. */
  readonly observedGeneration?: number;
  /** The size that the members have: an autoscaler computes with it. */
  readonly replicas?: number;
  /** The pods of a member that has one for each unit of the size, for autoscalers; where there is none, a label that no pod has. */
  readonly selector?: string;
  /** Members that the group names or selects. */
  readonly desiredMembers?: number;
  /** Members that have their size and are ready. */
  readonly readyMembers?: number;
  /** All members. */
  readonly members?: readonly {
    /** Its kind. */
    readonly kind: string;
    /** Its name. */
    readonly name: string;
    /** With order Staged, its place in the order. */
    readonly stage?: number;
    /** The replicas that it is to have now. */
    readonly desired?: number;
    /** The replicas that its spec asks for. */
    readonly replicas?: number;
    /** Its replicas that are ready. */
    readonly ready?: number;
    /** Ready: it has its size and is ready. Scaling: it is on its way. Waiting: an earlier stage comes first. Unready: it has its size, and some replicas are not ready. Missing: it is not there, or is being deleted. Conflicted: an autoscaler, a pool, an older group or a user scales it. Refused: it cannot be scaled, or the API server refuses its new size. */
    readonly state: 'Ready' | 'Scaling' | 'Waiting' | 'Unready' | 'Missing' | 'Conflicted' | 'Refused';
    /** Why it is in that state. */
    readonly message?: string;
  }[];
  /** What the policy says; while paused, also what would be done. */
  readonly proposal?: {
    /** The size that it proposes. */
    readonly replicas: number;
    /** Why, in one word. */
    readonly reason: string;
    /** Why, in a sentence. */
    readonly message?: string;
  };
  /** With policy.type Random, the size that was drawn last. Another seed begins with number 0. */
  readonly drawn?: {
    /** The seed of its walk. */
    readonly seed: number;
    /** How many were drawn before it. */
    readonly number: number;
  };
  /** The transition under way, or the last one. */
  readonly transition?: {
    /** Scaling and RollingBack are under way; the others have ended. */
    readonly state: 'Scaling' | 'RollingBack' | 'Completed' | 'TimedOut' | 'RolledBack' | 'Superseded';
    /** The size that was last reached. */
    readonly from: number;
    /** The size that it goes to. */
    readonly to: number;
    /** With order Staged, the stage under way. */
    readonly stage?: number;
    /** What brought it about. */
    readonly reason: string;
    /** When the operator saw the request. */
    readonly requestTime: string;
    /** When it ended. */
    readonly finishTime?: string;
    /** The members that were not ready when it timed out. */
    readonly message?: string;
    /** What each member had when the group was last at rest; Rollback goes back to it. */
    readonly before?: readonly {
      /** Its kind. */
      readonly kind: string;
      /** Its name. */
      readonly name: string;
      /** What it had. */
      readonly replicas: number;
      /** How many of them were ready. */
      readonly ready?: number;
    }[];
    /** What is tried, in short; changes with an edit of the group or of a member. A failure counts for it alone. */
    readonly attempt?: string;
    /** How long it took, by the clock of one leader; absent where another leader had begun. */
    readonly times?: {
      /** Until the last member was ready. */
      readonly totalMilliseconds?: number;
      /** Until the last member's new size was accepted. */
      readonly patchMilliseconds?: number;
      /** By member. */
      readonly members?: readonly {
        /** Its kind. */
        readonly kind: string;
        /** Its name. */
        readonly name: string;
        /** Until its new size was accepted. */
        readonly patchMilliseconds?: number;
        /** Until it was ready. */
        readonly readyMilliseconds?: number;
      }[];
    };
  };
  /** The last 20 transitions, the newest first. */
  readonly history?: readonly {
    /** The size at which the group was before. */
    readonly from: number;
    /** The size that it went to. */
    readonly to: number;
    /** What was tried. */
    readonly attempt?: string;
    /** How it ended. */
    readonly outcome: 'Completed' | 'TimedOut' | 'RolledBack' | 'Superseded';
    /** What brought it about. */
    readonly reason: string;
    /** When the operator saw the request. */
    readonly requestTime: string;
    /** Until the last member was ready. */
    readonly totalMilliseconds?: number;
    /** Until the last member's new size was accepted. */
    readonly patchMilliseconds?: number;
    /** The member that was ready last, such as Deployment/web. */
    readonly slowest?: string;
  }[];
  /** Of the transitions in history that were completed and measured. */
  readonly times?: {
    /** How many. */
    readonly count: number;
    /** Half took no longer. */
    readonly p50Milliseconds?: number;
    /** The longest. */
    readonly maxMilliseconds?: number;
  };
  /** Ready, Reconciling, Stalled, MetricsAvailable, Conflicted, Limited. */
  readonly conditions?: readonly {
    /** What the condition is about. */
    readonly type: string;
    /** Whether it is so. */
    readonly status: 'True' | 'False' | 'Unknown';
    /** Why, in one word. */
    readonly reason: string;
    /** Why, in a sentence that names fields and members. */
    readonly message: string;
    /** The generation of the spec that it speaks of. */
    readonly observedGeneration?: number;
    /** When the status last changed. */
    readonly lastTransitionTime: string;
  }[];
};

/** What is to be consumed, by which pods, and how carefully. */
export type SwarmPoolSpec = {
  /** The streams, unique by name. At first they are dealt out in this order, in runs; later the order moves nothing. At most 2,000; longer lists, and lists that a program keeps, come by streamsFrom. */
  readonly streams?: readonly {
    /** What the worker is told to consume, such as "cnbc" or "stream:xxrtve1". Another name is another stream. 1 to 128 characters, no control characters, no space at either end. */
    readonly name: string;
    /** The part of a worker's capacity that is reserved for this stream: percent of one worker, while capacity is 100. Set it for streams whose load you know. All of the capacity means a worker of its own. 0 reserves nothing: such streams are spread by number over workers that are not taken whole. Left out, streamDefaults.weight. */
    readonly weight?: number;
    /** What else the worker is to know of this stream, such as its address: text by name, handed on as it is. A name has 1 to 253 letters, digits, '-', '_' and '.'. No credentials here, they would stand in a ConfigMap; those belong in a Secret that the worker mounts. */
    readonly parameters?: Readonly<Record<string, string>>;
    /** Which streams get no worker when the weights do not all fit: those of a lower priority first, and of equals the later in the list. Left out, 0. */
    readonly priority?: number;
    /** Streams of one group are spread over workers as far as possible. For what must not fail together, such as two sources of the same data. Left out, no group. */
    readonly spreadGroup?: string;
    /** Pins the stream to this worker, by the ordinal of a StatefulSet's pod or the slot of a Deployment. For streams that need what one worker alone has. While there is no such worker the stream has none, and status.unassigned says so. Left out, any worker. */
    readonly ordinal?: number;
    /** True: the stream keeps its place and its weight, and does not run. Left out, false. */
    readonly suspend?: boolean;
  }[];
  /** Further lists of streams, appended in this order. They are followed: a change there is a change here. A list with a mistake changes nothing, the last good one stays in force. */
  readonly streamsFrom?: readonly {
    /** A key of a ConfigMap of this namespace. It holds a YAML list with the fields of streams, or text with a line `name`, `name=weight` or `name suspend` for each stream; # begins a comment. */
    readonly configMapKeyRef: {
      /** The ConfigMap's name. */
      readonly name: string;
      /** The key in it, such as "streams.txt". */
      readonly key: string;
    };
  }[];
  /** What a stream has that does not say otherwise itself. */
  readonly streamDefaults: {
    /** The weight of streams that name none; 0 reserves nothing. Left out, 0. */
    readonly weight: number;
  };
  /** Which removals of streams are held until they are confirmed: what a list loses by mistake then goes on running, the conditions Ready and Stalled say LargeRemoval, and status.removal what would go. Streams come back into the list, or the annotation k8slab.info/confirm-removal on the pool has the digest of status.removal. Deleting the pool removes nothing from its list. */
  readonly removal: {
    /** False: a list that loses all of its streams is held; also one that renames all of them at once, since another name is another stream. True: it is followed. Left out, false. */
    readonly allowEmpty: boolean;
    /** The largest part of the published streams that may leave the list at once; more is held. Left out, no bound but allowEmpty. */
    readonly maxPercent?: number;
  };
  /** What becomes of a stream that ends by itself. */
  readonly streamPolicy: {
    /** Never: a stream that ends is started again. Once: a stream that its worker tells as completed is recorded in the assignment, leaves its worker, and is not run again while its name is in the list. If the record cannot be written, or is lost with the ConfigMap, it may run twice. With Once no stream moves for balance: it would begin anew. Left out, Never. */
    readonly completion: 'Never' | 'Once';
    /** How often a worker starts a failing stream again before it gives up: the stream is Failed, keeps its place and its weight, and is not started again until it is restarted, changed or moved. A minute of running begins the count anew. For workers that know it, as swarm-worker does. Left out, for ever. */
    readonly maxRestarts?: number;
  };
  /** Which pods consume the streams, and how the pool deals with them. Exactly one of selector and targetRef is given. */
  readonly workers: {
    /** What the selector selects. Left out, StatefulSet (or the kind of targetRef). */
    readonly kind?: 'StatefulSet' | 'Deployment';
    /** Selects StatefulSets or Deployments of this namespace by their own labels, not by those of their pods. All pods of all that it finds are the workers. Use it where targets come and go; else targetRef. */
    readonly selector?: {
      /** Labels that a target must have, each with just this value. */
      readonly matchLabels: Readonly<Record<string, string>>;
    };
    /** Names the one StatefulSet or Deployment of this namespace whose pods are the workers. */
    readonly targetRef?: {
      /** Left out, apps/v1. */
      readonly apiVersion: 'apps/v1';
      /** StatefulSet: workers with lasting names. Deployment: workers that are alike. Left out, StatefulSet. */
      readonly kind: 'StatefulSet' | 'Deployment';
      /** Its name. */
      readonly name: string;
    };
    /** What says how many workers there are. Follow: the target, which you or an autoscaler scale. Lead: the pool, which scales its one target to workers.replicas, and empties workers before they go, so that a scale-down interrupts no stream for longer than a move does. An autoscaler then scales the pool. Auto: the streams; the pool scales its target like Lead, to as many workers as weights, pins and spread groups need, between minReplicas and maxReplicas. Left out, Follow. */
    readonly scaling: 'Follow' | 'Lead' | 'Auto';
    /** With scaling Lead, how many workers there are to be; `kubectl scale swarmpool` and autoscalers set it. Refused with Follow, where what was left by an earlier Lead is ignored. At most 10,000. Left out, taken over from the target once. */
    readonly replicas?: number;
    /** With scaling Auto, the fewest workers. Left out, 1. */
    readonly minReplicas?: number;
    /** With scaling Auto, the most workers, however many the streams need. Needed then. */
    readonly maxReplicas?: number;
    /** With scaling Auto, how long fewer workers must have been enough before the pool scales down; it scales up at once. Left out, 300. */
    readonly scaleDownDelaySeconds: number;
    /** What one worker can carry, in the unit of the weights: the weights of its streams never exceed it, unless overcommit is Allow, or it was made smaller than what streams that run there have. Set it to count in something else than percent, such as Mbit/s. Left out, 100. */
    readonly capacity: number;
    /** Ordinals of workers that are given nothing and from which streams are moved away, as before work on a node. They stay in the pool. Left out, none. */
    readonly cordoned?: readonly number[];
    /** With scaling Lead or Auto, how long a scale-down waits until the workers that will go are empty; then the target is scaled all the same. Left out, 60. */
    readonly drainTimeoutSeconds: number;
    /** What becomes of the streams of a worker that is not Ready, as when its node is lost. */
    readonly failover?: {
      /** AfterTimeout: the other workers take them over after timeoutSeconds, unless more than maxUnavailable are away; the worker gets streams back when it has been Ready for 10 seconds. Never: they wait for their worker. Left out, AfterTimeout, or Never with handoff.type Exclusive. */
      readonly policy?: 'AfterTimeout' | 'Never';
      /** How long a worker is waited for; longer than its pod needs to start anew, or every restart moves its streams twice. As long is one waited for that has never been Ready, however many are away; with handoff.type Exclusive only if it has no pod. Left out, 300. */
      readonly timeoutSeconds: number;
      /** While more workers than this are away, nothing is taken over: something larger is the matter, and the rest may not carry it all. A number, or a percentage of those that have been Ready, such as "50%". Left out, 50%. */
      readonly maxUnavailable: number | string;
    };
  };
  /** What becomes of streams whose weights do not fit on the workers. Deny: they stay unassigned, with a reason and the number of workers that would be enough. Allow: they are spread all the same, and the condition Overcommitted says so. Left out, Deny. */
  readonly overcommit: 'Deny' | 'Allow';
  /** When streams may move that could stay where they are. */
  readonly rebalance: {
    /** Always: whenever streams or workers change, loads are made even with the fewest moves. WhenRequired: only streams that lost their worker move, for streams that are costly to start. Left out, Always. */
    readonly policy: 'Always' | 'WhenRequired';
    /** How many streams may move in one change; the rest follows in the next changes. Streams that lost their worker do not count. 0 is no bound. Left out, 0. */
    readonly maxMoves: number;
    /** How long the workers must have been the same before streams move that could stay: a worker that comes, goes or restarts starts the time anew. Streams without a worker are not delayed. Left out, 0. */
    readonly delaySeconds: number;
  };
  /** Where the assignment is published, for workers to mount. */
  readonly assignments: {
    /** The ConfigMap that the workers mount. It must not be anybody else's; one made beforehand is taken over when it has the annotation k8slab.info/pool with this pool's name, and not our key. Left out, <pool>-assignments. */
    readonly configMapName?: string;
    /** The key in it, which is the name of the file that workers read. Left out, config.yml. */
    readonly key: string;
    /** Over how many ConfigMaps the workers are spread, for lists that are too long for one; a status that refuses a list says how many are enough. More than 1 makes <name>-0, <name>-1 and so on, with the keys config-0.yml, config-1.yml. Left out, 1. */
    readonly shards: number;
    /** Retain: the assignment outlives the pool, workers go on, and a pool that is made anew goes on from it. Delete: it goes ten seconds after the pool, if the pool was deleted by itself; it stays when the definition (CRD) was deleted, or when no operator was there to see the pool go. Left out, Retain. */
    readonly whenDeleted: 'Retain' | 'Delete';
  };
  /** How a worker whose streams changed comes to know of it. Workers whose streams did not change are left alone. */
  readonly refresh: {
    /** Reload: its pod is annotated, so that the file is there within a second, and the worker reads it again. Restart: its pod is evicted, for workers that read the file only when they start. Auto: Reload, and Restart for those that still run what was before when timeoutSeconds are over. Left out, Reload. */
    readonly mode: 'Reload' | 'Restart' | 'Auto';
    /** With Restart and Auto, how many workers may be away at a time, as a number or a percentage such as "25%". Budgets (PodDisruptionBudget) are kept besides. Left out, 1. */
    readonly maxUnavailable: number | string;
    /** How long a worker may take to confirm, counted from its start, a change or its last confirmation, before it counts as Stuck and, with Auto, is restarted; longer than its streams need to stop and to start. Left out, 60. */
    readonly timeoutSeconds: number;
  };
  /** What happens to a stream between its old worker and its new one, whenever it moves. */
  readonly handoff: {
    /** AtLeastOnce: both may run it for a moment, and no stream is interrupted for longer than it takes to be told. Exclusive: never two at a time, for streams that a second consumer would harm. The new worker is told only when the old one has confirmed that it stopped, or all containers of its pod have ended; a worker that cannot be reached keeps its streams, and is named. Exclusive needs StatefulSets, one shard, workers that confirm, and pods that mount their annotation k8slab.info/assigned. Left out, AtLeastOnce. */
    readonly type: 'AtLeastOnce' | 'Exclusive';
  };
  /** How a worker is asked what it runs. Nothing counts as converged before that is known. */
  readonly probe: {
    /** HTTPGet: by a request to each pod. None: for workers that cannot tell; one counts as converged when its pod was replaced after the change and is Ready, so use it with refresh.mode Restart. Left out, HTTPGet. */
    readonly type: 'HTTPGet' | 'None';
    /** The request, from the operator to the address of each pod. */
    readonly httpGet: {
      /** A number from 1 to 65535, or the name of a container's port. Left out, 9090. */
      readonly port: number | string;
      /** The path that answers with the version and the streams. Left out, /internal/version. */
      readonly path: string;
      /** HTTP or HTTPS; the certificate is verified if the operator is given authorities (--probe-ca-file). Left out, HTTP. */
      readonly scheme: 'HTTP' | 'HTTPS';
    };
  };
  /** Compute and show in status.plan what would change, and touch nothing. The annotation k8slab.info/paused set to "true" does the same, where the spec is kept in Git. Left out, false. */
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
  /** The workload whose pods are the workers, such as "StatefulSet/swarm-worker". */
  readonly target?: string;
  /** Workers whose pod is Ready. */
  readonly readyReplicas?: number;
  /** Workers that confirmed that they run what they were assigned. */
  readonly convergedReplicas?: number;
  /** Workers that would be enough for weights and pins, and to keep the streams of each spread group apart. */
  readonly requiredReplicas?: number;
  /** How many streams there are, and how many have a worker. While nothing can be decided: how many there are, if the list can be read; that none has a worker, if nothing was published yet. */
  readonly streams?: {
    /** In the list. */
    readonly total: number;
    /** That have a worker. */
    readonly assigned?: number;
    /** That have none. */
    readonly unassigned?: number;
    /** That fail, as their workers tell; left out where no worker tells. */
    readonly failing?: number;
    /** Whose work is done: recorded with streamPolicy.completion Once, else as their workers tell. */
    readonly completed?: number;
    /** That keep their place and do not run; left out where there are none. */
    readonly suspended?: number;
  };
  /** The first 20 streams that fail, the longest first. */
  readonly failing?: readonly {
    /** The stream. */
    readonly name: string;
    /** The worker that runs it. */
    readonly worker: string;
    /** Restarting: it ends by itself again and again, or cannot be started. Failed: it is not started again. */
    readonly state: 'Restarting' | 'Failed';
    /** How often it was started again since it was last well. */
    readonly restarts?: number;
    /** Since when it fails. */
    readonly since?: string;
    /** Its last words, without what stands in its parameters. */
    readonly message?: string;
  }[];
  /** While a removal of streams is held (spec.removal). */
  readonly removal?: {
    /** How many streams would be removed. */
    readonly total: number;
    /** Of their names. As the annotation k8slab.info/confirm-removal on the pool, it confirms just this removal. */
    readonly digest: string;
    /** How many of how many. */
    readonly message: string;
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
    /** How many of its streams fail; left out where it does not tell. */
    readonly failing?: number;
    /** Pending: its pod is not Ready. Refreshing: it has not confirmed yet. Releasing: it is being emptied, or has not confirmed that it stopped something. Converged: it runs just what it is assigned. Stuck: it has not confirmed in time. Missing: it has no pod, or was away for too long. Cordoned: it is empty and stays so. */
    readonly state: 'Pending' | 'Refreshing' | 'Releasing' | 'Converged' | 'Stuck' | 'Missing' | 'Cordoned';
    /** Why it is in that state. */
    readonly message?: string;
  }[];
  /** The first 100 streams without a worker. */
  readonly unassigned?: readonly {
    /** The stream. */
    readonly name: string;
    /** In one word, such as InsufficientCapacity or PinnedWorkerMissing. */
    readonly reason: string;
    /** In a sentence. */
    readonly message?: string;
  }[];
  /** The first 20 streams that keep their worker, and the weight that they have there, though no worker could be given them as the list has them now: by a mistake in their weight or their pin. */
  readonly kept?: readonly {
    /** The stream. */
    readonly name: string;
    /** The worker that keeps it. */
    readonly worker: string;
    /** TooHeavy or PinnedWorkerMissing. */
    readonly reason: string;
    /** The value, what is allowed, and the weight that it has instead. */
    readonly message: string;
  }[];
  /** While paused, what would change. */
  readonly plan?: {
    /** Streams that would change their worker. */
    readonly total: number;
    /** The first 100 of them. */
    readonly moves?: readonly {
      /** Its name. */
      readonly stream: string;
      /** The worker that has it now; none, if it is new. */
      readonly from?: string;
      /** The worker that would get it; none, if it is gone or has no room. */
      readonly to?: string;
      /** What brought the change about. */
      readonly reason: string;
    }[];
  };
  /** The last 20 changes, the newest first. */
  readonly history?: readonly {
    /** The version that it made. */
    readonly version: number;
    /** Streams that changed their worker. */
    readonly moves: number;
    /** What brought it about, such as StreamsChanged, WorkersChanged or WorkerMissing. */
    readonly reason: string;
    /** When it was written. */
    readonly publishTime: string;
    /** When every worker had confirmed. */
    readonly convergenceTime?: string;
  }[];
  /** Ready, Converged, Reconciling, Stalled, Overcommitted, Mounted, ProbeUnreachable, StreamsHealthy, Complete. */
  readonly conditions?: readonly {
    /** What the condition is about. */
    readonly type: string;
    /** Whether it is so. */
    readonly status: 'True' | 'False' | 'Unknown';
    /** Why, in one word. */
    readonly reason: string;
    /** Why, in a sentence that names fields and workers. */
    readonly message: string;
    /** The generation of the spec that it speaks of. */
    readonly observedGeneration?: number;
    /** When the status last changed. */
    readonly lastTransitionTime: string;
  }[];
};

export type PoolStream = NonNullable<SwarmPoolSpec['streams']>[number];
