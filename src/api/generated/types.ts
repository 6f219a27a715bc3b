// GENERATED from crds/ by scripts/generate.ts: change the CRD, then `npm run generate`.

/** The members of the group, their size, and how to scale them. */
export type SwarmGroupSpec = {
  /** The size of the group. `kubectl scale swarmgroup` and autoscalers set it. If it is omitted, the operator sets it once from the current replicas of the members, provided that one size fits all of them. Used with policy.type Manual only; every other type ignores a new value. */
  readonly replicas?: number;
  /** The objects to scale, in this namespace, unique by kind and name; at most 100. The operator sets the replicas of each to ceil(ratio x size), between its minReplicas and maxReplicas. */
  readonly members?: readonly {
    /** The apiVersion of the member's kind, such as example.org/v1. May be omitted for Deployment, StatefulSet and SwarmPool. Any other kind must have a scale subresource, and the administrator must allow it with --member-kinds. */
    readonly apiVersion?: string;
    /** Deployment, StatefulSet or SwarmPool, or another kind if apiVersion is set. A SwarmPool must have workers.scaling Lead. */
    readonly kind: string;
    /** The name of the member. */
    readonly name: string;
    /** Used with transition.order Staged: lower stages scale up earlier and scale down later. Default: memberDefaults.stage. */
    readonly stage?: number;
    /** Replicas for each unit of the group's size: a whole number, or a decimal string such as "1.5". Default: memberDefaults.ratio. */
    readonly ratio?: number | string;
    /** The smallest number of replicas that the operator sets. Default: memberDefaults.minReplicas. */
    readonly minReplicas?: number;
    /** The largest number of replicas that the operator sets. Default: memberDefaults.maxReplicas. */
    readonly maxReplicas?: number;
    /** The fraction of the member's replicas that must be ready before the next stage starts and the group is ready, such as "0.9". Default: memberDefaults.readyFraction. */
    readonly readyFraction?: number | string;
  }[];
  /** Selects the Deployments and StatefulSets of this namespace by their own labels, not by the labels of their pods. At most 100 may match. */
  readonly selector?: {
    /** A member must have all of these labels, with exactly these values. */
    readonly matchLabels: Readonly<Record<string, string>>;
  };
  /** Defaults for fields that a member omits; with a selector, the values for all members. */
  readonly memberDefaults: {
    /** The stage of members that omit it. Default: 0. */
    readonly stage: number;
    /** The replicas for each unit of the group's size: a whole number, or a decimal string such as "1.5". Default: 1. */
    readonly ratio: number | string;
    /** The smallest number of replicas that the operator sets. Default: 0. */
    readonly minReplicas: number;
    /** The largest number of replicas that the operator sets. Default: no limit. */
    readonly maxReplicas?: number;
    /** The fraction of the replicas that must be ready, such as "0.9". Default: 1. */
    readonly readyFraction: number | string;
  };
  /** How the size is decided, and its limits. */
  readonly policy: {
    /** Manual: the size is spec.replicas, set by users, autoscalers or programs. Random: a new random size each period, for measurements. Schedule: the size of the schedule that was due last. Prometheus: computed from a metric. Default: Manual. */
    readonly type: 'Manual' | 'Random' | 'Schedule' | 'Prometheus';
    /** How often the size is decided, in seconds. With type Random, how long each size lasts. Default: 60. */
    readonly periodSeconds: number;
    /** The smallest size, with every type. Default: 0 with type Manual, else 1. */
    readonly minReplicas?: number;
    /** The largest size, with every type. Required unless the type is Manual. Default: no limit. */
    readonly maxReplicas?: number;
    /** Settings of policy.type Random. */
    readonly random?: {
      /** The n-th size depends only on the seed and n, so the same seed gives the same sequence of sizes. */
      readonly seed: number;
    };
    /** Settings of policy.type Prometheus: the size is ceil(value / target). */
    readonly prometheus?: {
      /** The name of a source that the administrator has configured for this namespace. Default: default. */
      readonly source: string;
      /** A PromQL expression that returns a single number, for example with sum(). */
      readonly query: string;
      /** The value of the metric for one unit of size: a decimal string above 0, such as "100" or "0.5". */
      readonly target: string;
      /** The size stays while value / target differs from it by less than this fraction, as in an HPA: a decimal string from 0 to 1. Default: 0.1. */
      readonly tolerance: string;
      /** Samples older than this are ignored, in seconds. Default: twice policy.periodSeconds. */
      readonly staleAfterSeconds?: number;
      /** The size falls only to the largest size proposed during this many seconds. The time restarts with a new leader and with an edit of the group. Default: 300. */
      readonly scaleDownAfterSeconds: number;
    };
    /** Schedules that set the size with type Schedule, and its limits with every other type. The schedule that was due last applies. */
    readonly schedules?: readonly {
      /** The name of the schedule, unique in the list. */
      readonly name: string;
      /** Five fields as in cron: minute, hour, day of the month (L: the last), month, day of the week. If a clock change skips a time, the schedule is due at the change; if it repeats a time, the schedule is due once. */
      readonly schedule: string;
      /** The time zone of the schedule, such as Europe/Paris. Default: UTC. */
      readonly timeZone: string;
      /** With type Schedule: the size from this time on. */
      readonly replicas?: number;
      /** With every other type: policy.minReplicas from this time on. Default: policy.minReplicas. */
      readonly minReplicas?: number;
      /** With every other type: policy.maxReplicas from this time on. Default: policy.maxReplicas. */
      readonly maxReplicas?: number;
    }[];
  };
  /** How the members change from one size to another. */
  readonly transition: {
    /** Together: all members are scaled at once. Staged: stage by stage, upwards when scaling up and downwards when scaling down. A stage starts when the one before it is ready or has timed out. Default: Together. */
    readonly order: 'Together' | 'Staged';
    /** A member times out after this many seconds without progress. Default: 300. */
    readonly timeoutSeconds: number;
    /** Keep: the new size stays, and the remaining stages get it too. Rollback: every member returns to the replicas that it had at the last size that was reached, stage by stage in reverse order; a stage without progress does not block the others. Default: Keep. */
    readonly onTimeout: 'Keep' | 'Rollback';
    /** Seconds before the group tries a size again that timed out; doubled for each further try, up to an hour. The group tries another size at once, and also the same size after an edit of the group, a change of a member, or a new value of the annotation k8slab.info/retry. Default: 300. */
    readonly retryAfterSeconds: number;
  };
  /** True: the operator shows what it would do and changes nothing. The annotation k8slab.info/paused set to "true" does the same without an edit of the spec. Default: false. */
  readonly paused: boolean;
};

/** The observed state of the group. Only the operator writes it. */
export type SwarmGroupStatus = {
  /** The generation of the spec that this status describes. */
  readonly observedGeneration?: number;
  /** The current size of the members, which autoscalers read. */
  readonly replicas?: number;
  /** For autoscalers: selects the pods of a member with ratio 1. If no member has ratio 1, it is a label that no pod has. */
  readonly selector?: string;
  /** The number of members that the group names or selects. */
  readonly desiredMembers?: number;
  /** The number of members that have the wanted replicas and are ready. */
  readonly readyMembers?: number;
  /** The state of each member. */
  readonly members?: readonly {
    /** The kind of the member. */
    readonly kind: string;
    /** The name of the member. */
    readonly name: string;
    /** The stage of the member, with order Staged. */
    readonly stage?: number;
    /** The replicas that the group wants for the member. */
    readonly desired?: number;
    /** The replicas in the member's spec. */
    readonly replicas?: number;
    /** The number of ready replicas. */
    readonly ready?: number;
    /** Ready: the member has the wanted replicas, and enough are ready. Scaling: its replicas are changing. Waiting: an earlier stage is not finished. Unready: it has the wanted replicas, but too few are ready. Missing: it does not exist or is being deleted. Conflicted: an autoscaler, a pool, an older group or a user scales it. Refused: it cannot be scaled, or the API server refused the change. */
    readonly state: 'Ready' | 'Scaling' | 'Waiting' | 'Unready' | 'Missing' | 'Conflicted' | 'Refused';
    /** Why the member is in that state. */
    readonly message?: string;
  }[];
  /** The size that the policy proposes; while paused, also what the operator would do. */
  readonly proposal?: {
    /** The proposed size. */
    readonly replicas: number;
    /** The reason as one word, for programs. */
    readonly reason: string;
    /** The reason as a sentence, for people. */
    readonly message?: string;
  };
  /** With policy.type Random: the last random size. A new seed starts again at number 0. */
  readonly drawn?: {
    /** The seed in use. */
    readonly seed: number;
    /** The number of random sizes before this one. */
    readonly number: number;
  };
  /** The current or last transition. */
  readonly transition?: {
    /** Scaling and RollingBack: in progress. The other states are final. */
    readonly state: 'Scaling' | 'RollingBack' | 'Completed' | 'TimedOut' | 'RolledBack' | 'Superseded';
    /** The last size that was reached. */
    readonly from: number;
    /** The new size. */
    readonly to: number;
    /** With order Staged: the current stage. */
    readonly stage?: number;
    /** The cause of the transition. */
    readonly reason: string;
    /** When the operator saw the request. */
    readonly requestTime: string;
    /** When the transition ended. */
    readonly finishTime?: string;
    /** The members that were not ready when the transition timed out. */
    readonly message?: string;
    /** The replicas of each member at the last size that was reached; a rollback restores them. */
    readonly before?: readonly {
      /** The kind of the member. */
      readonly kind: string;
      /** The name of the member. */
      readonly name: string;
      /** The replicas of the member. */
      readonly replicas: number;
      /** The number of replicas that were ready. */
      readonly ready?: number;
    }[];
    /** A hash of the settings of the group and its members. When it changes, a failed size is tried again at once. */
    readonly attempt?: string;
    /** How long the transition took; absent if the leader changed meanwhile. */
    readonly times?: {
      /** Milliseconds from the start of the transition until its last member was ready. */
      readonly totalMilliseconds?: number;
      /** Milliseconds from the start of the transition until the API server had accepted the last member's new size. */
      readonly patchMilliseconds?: number;
      /** The times of each member. */
      readonly members?: readonly {
        /** The kind of the member. */
        readonly kind: string;
        /** The name of the member. */
        readonly name: string;
        /** Milliseconds from the start of the transition until the API server had accepted the member's new size. */
        readonly patchMilliseconds?: number;
        /** Milliseconds from the start of the transition until the member was ready. */
        readonly readyMilliseconds?: number;
      }[];
    };
  };
  /** The last 20 transitions, the newest first. */
  readonly history?: readonly {
    /** The size before the transition. */
    readonly from: number;
    /** The new size. */
    readonly to: number;
    /** The hash of the settings with which the transition was tried. */
    readonly attempt?: string;
    /** How the transition ended. */
    readonly outcome: 'Completed' | 'TimedOut' | 'RolledBack' | 'Superseded';
    /** The cause of the transition. */
    readonly reason: string;
    /** When the operator saw the request. */
    readonly requestTime: string;
    /** Milliseconds from the start of the transition until its last member was ready. */
    readonly totalMilliseconds?: number;
    /** Milliseconds from the start of the transition until the API server had accepted the last member's new size. */
    readonly patchMilliseconds?: number;
    /** The member that was ready last, such as Deployment/web. */
    readonly slowest?: string;
  }[];
  /** Statistics of the completed transitions in history. */
  readonly times?: {
    /** The number of completed transitions. */
    readonly count: number;
    /** The median duration. */
    readonly p50Milliseconds?: number;
    /** The longest duration. */
    readonly maxMilliseconds?: number;
  };
  /** Ready, Reconciling, Stalled, MetricsAvailable, Conflicted, Limited. */
  readonly conditions?: readonly {
    /** The type of the condition. */
    readonly type: string;
    /** True, False or Unknown. */
    readonly status: 'True' | 'False' | 'Unknown';
    /** The reason as one word, for programs. */
    readonly reason: string;
    /** The reason as a sentence that names fields and members. */
    readonly message: string;
    /** The generation of the spec that the condition describes. */
    readonly observedGeneration?: number;
    /** When the status last changed. */
    readonly lastTransitionTime: string;
  }[];
};

/** The command of the job, the number of its pods, and its time limits. */
export type SwarmJobSpec = {
  /** The SwarmQueue of this namespace that admits the job. If there is no such queue yet, the job waits for it. */
  readonly queueName: string;
  /** The number of pods: all of them run, or none. `kubectl scale swarmjob` sets it. Default: 1. */
  readonly size: number;
  /** The image of each pod. The fields image, command, args, workingDir, env and resources are shorthand for those of the container main in template.spec.containers. */
  readonly image?: string;
  /** The program and its first arguments. It may be omitted with launcher.type Flux only: the brokers then stay up for users who submit to them, until `flux shutdown`, activeDeadlineSeconds, suspend or deletion. */
  readonly command?: readonly string[];
  /** More arguments, appended to command. */
  readonly args?: readonly string[];
  /** The directory in which the command starts. Default: that of the image. */
  readonly workingDir?: string;
  /** Environment variables, unique by name, as in a container. */
  readonly env?: readonly {
    /** The name of the variable. */
    readonly name: string;
    /** The value of the variable. */
    readonly value?: string;
    /** The source of the value, as in a container; set one of its fields. */
    readonly valueFrom?: {
      /** A key of a ConfigMap. */
      readonly configMapKeyRef?: {
        /** The name of the ConfigMap. */
        readonly name: string;
        /** The key in the ConfigMap. */
        readonly key: string;
        /** Whether the key may be missing. Default: false. */
        readonly optional?: boolean;
      };
      /** A key of a Secret. */
      readonly secretKeyRef?: {
        /** The name of the Secret. */
        readonly name: string;
        /** The key in the Secret. */
        readonly key: string;
        /** Whether the key may be missing. Default: false. */
        readonly optional?: boolean;
      };
      /** A field of the pod. */
      readonly fieldRef?: {
        /** The version of the path. Default: v1. */
        readonly apiVersion?: string;
        /** The path, such as "status.podIP". */
        readonly fieldPath: string;
      };
      /** A request or a limit of a container. */
      readonly resourceFieldRef?: {
        /** The name of the container. Default: main. */
        readonly containerName?: string;
        /** The field, such as "limits.cpu". */
        readonly resource: string;
        /** The unit, a quantity. Default: 1. */
        readonly divisor?: number | string;
      };
    };
  }[];
  /** The requests and limits of each pod. */
  readonly resources?: {
    /** The amounts that each pod requests, as a quantity by resource. They count against the quota of the queue. A limit without a request counts as a request. */
    readonly requests?: Readonly<Record<string, number | string>>;
    /** The largest amounts that each pod may use, as a quantity by resource. */
    readonly limits?: Readonly<Record<string, number | string>>;
  };
  /** All other settings of the pods, as in the pod template of a Job: labels, annotations, volumes, init containers, more containers, affinity and so on. The API server checks them when the operator creates the batch Job. */
  readonly template?: {
    /** Labels and annotations of the pods. */
    readonly metadata?: {
      /** Labels of the pods. */
      readonly labels?: Readonly<Record<string, string>>;
      /** Annotations of the pods. */
      readonly annotations?: Readonly<Record<string, string>>;
    };
    /** The spec of the pods; any field of a pod's spec except those that the operator sets. */
    readonly spec?: {
      /** The operator sets it. */
      readonly restartPolicy?: string;
      /** The operator sets it. */
      readonly hostname?: string;
      /** The operator sets it. */
      readonly subdomain?: string;
      /** The operator sets it. */
      readonly setHostnameAsFQDN?: boolean;
      /** The operator sets it. */
      readonly hostnameOverride?: string;
      /** The operator sets it. */
      readonly parallelism?: number;
      /** The operator sets it. */
      readonly completions?: number;
      /** The operator sets it. */
      readonly completionMode?: string;
      /** The operator sets it. */
      readonly backoffLimit?: number;
      /** How long a pod may take to end after SIGTERM, in seconds. The operator overrides it with deadlineSignalSeconds, if that is set. Default: 30, as in Kubernetes. */
      readonly terminationGracePeriodSeconds?: number;
      /** The container main, which runs the command, and any others. Each field of main is set either here or in the shorthand. Default: only main, from the shorthand. */
      readonly containers?: readonly ({
        /** The name of the container. */
        readonly name: string;
        /** The image of the container. */
        readonly image?: string;
        /** The program that the container runs. */
        readonly command?: readonly string[];
        /** The arguments of the program. */
        readonly args?: readonly string[];
        /** The directory in which the program starts. */
        readonly workingDir?: string;
        /** The environment variables of the container. */
        readonly env?: readonly Readonly<Record<string, unknown>>[];
        /** The requests and limits of the container. */
        readonly resources?: Readonly<Record<string, unknown>>;
      } & Readonly<Record<string, unknown>>)[];
    } & Readonly<Record<string, unknown>>;
  };
  /** How the ranks start, and which of them run the command. */
  readonly launcher: {
    /** None: every rank runs the command. Leader: rank 0 runs the command, and the other ranks run workerCommand; the job ends with rank 0. MPI: rank 0 runs the command, which starts processes on the other ranks by ssh; they run sshd. Flux: every rank runs a broker of Flux, and rank 0 runs the command on all ranks; without a command the brokers wait for users who submit. Default: None. */
    readonly type: 'None' | 'Leader' | 'MPI' | 'Flux';
    /** With type MPI and Flux: the number of processes on all ranks together. Default: size. */
    readonly tasks?: number;
    /** With type Leader: the command that the other ranks run. When rank 0 has ended, they get SIGTERM. Default: the other ranks only wait. */
    readonly workerCommand?: readonly string[];
    /** Together: no rank runs its command before the pods of all ranks run. The image needs /bin/sh, and the job at most 1000 ranks. Separately: each rank starts as soon as its pod does. Default: Together, or Separately with type None. */
    readonly start?: 'Together' | 'Separately';
    /** With type MPI: the port of sshd; with type Flux: the port of the brokers. Default: 2222 with MPI, 8050 with Flux. */
    readonly port?: number;
  };
  /** The priority of the job, at most the queue's maxPriority. Jobs with a higher priority go first. Default: the queue's jobDefaults.priority. */
  readonly priority?: number;
  /** How long the job may take until all of its ranks run, in seconds after its admission; rounding may add a second. Then its pods end, its quota is free, and the job is queued again. Default: the queue's jobDefaults.startTimeoutSeconds, else 300. */
  readonly startTimeoutSeconds?: number;
  /** How long the job may run, in seconds, over all attempts; rounding may add two seconds to each attempt. Default: the queue's jobDefaults.activeDeadlineSeconds. */
  readonly activeDeadlineSeconds?: number;
  /** How long before the deadline each rank gets SIGTERM, in seconds, so that it can save its work. It is also the grace period of the pods, whatever ends them, and no rank runs past the deadline. Ignored without a deadline. 0: SIGTERM comes at the deadline. Default: the queue's jobDefaults.deadlineSignalSeconds, else 0. */
  readonly deadlineSignalSeconds?: number;
  /** The number of failed attempts that are followed by another attempt, by cause. */
  readonly retries: {
    /** Retries after the command has failed. Default: 0. */
    readonly application: number;
    /** Retries after any other failure: an image, a start that takes too long, a disruption. Default: 10. */
    readonly other: number;
  };
  /** Seconds before the first retry; doubled for each further retry, up to an hour. Each job adds a share of its own, up to a quarter, so that jobs that failed together do not retry together. Default: 10. */
  readonly backoffSeconds: number;
  /** How long the job is kept after it has ended, in seconds; then the job and the objects that it owns are deleted. Default: the queue's jobDefaults.ttlSecondsAfterFinished. */
  readonly ttlSecondsAfterFinished?: number;
  /** True: the job gives back its quota and keeps its place in the queue. Default: false. */
  readonly suspend: boolean;
};

/** The observed state of the job. Only the operator writes it. */
export type SwarmJobStatus = {
  /** The generation of the spec that this status describes. */
  readonly observedGeneration?: number;
  /** Waiting: the job is not admitted yet. Admitted: the job has its quota. Starting: its pods start. Running: all ranks run. Suspending: its pods end. Suspended: it has no pods. Succeeded and Failed: it has ended. */
  readonly state?: 'Waiting' | 'Admitted' | 'Starting' | 'Running' | 'Suspending' | 'Suspended' | 'Succeeded' | 'Failed';
  /** Why the job is in that state, as one word. */
  readonly reason?: string;
  /** Why the job is in that state, as a sentence with numbers. */
  readonly message?: string;
  /** The admission of the job; absent while the job has no quota. */
  readonly admission?: {
    /** The queue that admitted the job. */
    readonly queue: string;
    /** The number of admitted pods. */
    readonly size: number;
    /** The requests of all pods together, by resource. */
    readonly requests: Readonly<Record<string, string>>;
    /** When the job was admitted. */
    readonly time: string;
  };
  /** The number of pods that the job has. */
  readonly size?: number;
  /** The label selector of the job's pods. */
  readonly selector?: string;
  /** The number of ranks that run. */
  readonly readyRanks?: number;
  /** The ranks of a gang that have succeeded while others still run, such as "0-3,7". Their pods may be gone. */
  readonly endedRanks?: string;
  /** The host names of the ranks, such as "lammps-[0-3]". */
  readonly hosts?: string;
  /** The number of the current or last attempt, from 1. */
  readonly attempt?: number;
  /** The number of failed attempts, by cause. */
  readonly failures?: {
    /** Attempts in which the command failed. */
    readonly application?: number;
    /** Attempts in which an image could not be pulled. */
    readonly image?: number;
    /** Attempts in which not all ranks ran in time. */
    readonly start?: number;
    /** Attempts in which a pod was evicted, deleted or lost with its node. */
    readonly disruption?: number;
  };
  /** The exit code of the first rank that failed, or of rank 0. */
  readonly exitCode?: number;
  /** When the job was created. */
  readonly submitTime?: string;
  /** When the job was last admitted. */
  readonly admitTime?: string;
  /** When all ranks ran for the first time in the last attempt. */
  readonly startTime?: string;
  /** When the job ended. */
  readonly finishTime?: string;
  /** The last 20 changes of the state, the newest first. */
  readonly history?: readonly {
    /** The new state. */
    readonly state: string;
    /** The reason as one word. */
    readonly reason: string;
    /** The reason as a sentence. */
    readonly message?: string;
    /** When the state changed. */
    readonly time: string;
  }[];
  /** Ready, Reconciling, Stalled, Admitted, Running, Suspended, Preempted, Complete, Failed, Finished. */
  readonly conditions?: readonly {
    /** The type of the condition. */
    readonly type: string;
    /** True, False or Unknown. */
    readonly status: 'True' | 'False' | 'Unknown';
    /** The reason as one word, for programs. */
    readonly reason: string;
    /** The reason as a sentence. */
    readonly message: string;
    /** The generation of the spec that the condition describes. */
    readonly observedGeneration?: number;
    /** When the status last changed. */
    readonly lastTransitionTime: string;
  }[];
};

/** The streams, the pods that consume them, and how streams move. */
export type SwarmPoolSpec = {
  /** The streams, unique by name. The first assignment gives each worker consecutive streams of the list; later, the order moves nothing. At most 2,000; use streamsFrom for longer lists and for lists that a program writes. */
  readonly streams?: readonly {
    /** The name that the worker gets, such as "cnbc" or "stream:xxrtve1". A new name is a new stream. 1 to 128 characters, without control characters, and without a space at the beginning or the end. */
    readonly name: string;
    /** The part of a worker's capacity that is reserved for this stream: percent of one worker if capacity is 100. Set it for streams whose load you know. The whole capacity means a worker of its own. 0 reserves nothing: such streams are spread evenly by number over the workers that they may share. Default: streamDefaults.weight. */
    readonly weight?: number;
    /** Parameters of this stream for the worker, such as its address: strings by name, passed on unchanged. A name has 1 to 253 letters, digits, '-', '_' and '.'. Do not put credentials here, because a ConfigMap would contain them; use a Secret that the worker mounts. */
    readonly parameters?: Readonly<Record<string, string>>;
    /** Decides which streams stay without a worker if the weights do not all fit: those with the lowest priority, and among equals those later in the list. Default: 0. */
    readonly priority?: number;
    /** Streams of the same group run on different workers as far as possible. For streams that must not fail together, such as two sources of the same data. Default: no group. */
    readonly spreadGroup?: string;
    /** Pins the stream to the worker with this ordinal (StatefulSet) or slot (Deployment). For streams that need something that only one worker has. If there is no such worker, a stream that runs keeps its worker, and any other has none; status.kept and status.unassigned say so. Default: any worker. */
    readonly ordinal?: number;
    /** True: the stream stays in the list and keeps its worker and weight, but does not run. Default: false. */
    readonly suspend?: boolean;
  }[];
  /** More lists of streams, appended in this order. The operator follows their changes. If a list has an error, the last valid one stays in use. */
  readonly streamsFrom?: readonly {
    /** A key of a ConfigMap of this namespace. Its value is a YAML list with the fields of streams, or text with one line `name`, `name=weight` or `name suspend` for each stream; # starts a comment. */
    readonly configMapKeyRef: {
      /** The ConfigMap's name. */
      readonly name: string;
      /** The key in the ConfigMap, such as "streams.txt". */
      readonly key: string;
    };
  }[];
  /** Defaults for fields that a stream omits. */
  readonly streamDefaults: {
    /** The weight of streams that omit it; 0 reserves nothing. Default: 0. */
    readonly weight: number;
  };
  /** Which removals of streams wait for a confirmation. Until the confirmation the streams keep running, the conditions Ready and Stalled have the reason LargeRemoval, and status.removal names the removal. Put the streams back into the list, or confirm with the annotation k8slab.info/confirm-removal on the pool, set to the digest in status.removal. Deleting the pool needs no confirmation. */
  readonly removal: {
    /** False: removing all streams at once waits for a confirmation, and so does renaming all of them, because a new name is a new stream. True: no confirmation is needed. Default: false. */
    readonly allowEmpty: boolean;
    /** The largest percentage of the published streams that may leave the list at once without a confirmation. Default: no limit besides allowEmpty. */
    readonly maxPercent?: number;
  };
  /** What happens when a stream ends by itself. */
  readonly streamPolicy: {
    /** Never: a stream that ends is started again. Once: when its worker reports a stream as completed, the operator records that in the assignment and removes it from the worker; it does not run again while its name is in the list. If the record cannot be written, or is lost with the ConfigMap, the stream may run twice. With Once no stream moves for balance, because it would start from the beginning. Default: Never. */
    readonly completion: 'Never' | 'Once';
    /** How often a worker restarts a failing stream before it gives up. The stream is then Failed, keeps its worker and weight, and does not start again until it is restarted, changed or moved. After a minute of running the count restarts at 0. The worker must support it, as swarm-worker does. Default: no limit. */
    readonly maxRestarts?: number;
    /** A stream that has failed at its worker for this many seconds, as the worker reports it, moves to another worker that has room for it: once, and not again for a day. Within this time at most a tenth of the pool's streams move this way, but at least one may. No other stream moves for it, and a pinned stream stays. It applies with rebalance.policy WhenRequired and completion Once too. For streams that fail because of one worker's node or disk. Default: never. */
    readonly moveAfterSeconds?: number;
  };
  /** The pods that consume the streams. Set either selector or targetRef. */
  readonly workers: {
    /** The kind that the selector selects. Default: StatefulSet (or the kind of targetRef). */
    readonly kind?: 'StatefulSet' | 'Deployment';
    /** Selects StatefulSets or Deployments of this namespace by their own labels, not by the labels of their pods. All of their pods are workers. Use it if the targets change; otherwise use targetRef. */
    readonly selector?: {
      /** A target must have all of these labels, with exactly these values. */
      readonly matchLabels: Readonly<Record<string, string>>;
    };
    /** The StatefulSet or Deployment of this namespace whose pods are the workers. */
    readonly targetRef?: {
      /** Default: apps/v1. */
      readonly apiVersion: 'apps/v1';
      /** StatefulSet: workers with stable names. Deployment: interchangeable workers. Default: StatefulSet. */
      readonly kind: 'StatefulSet' | 'Deployment';
      /** The name of the StatefulSet or Deployment. */
      readonly name: string;
    };
    /** Who decides the number of workers. Follow: you or an autoscaler scale the target. Lead: the pool scales its target to workers.replicas, and moves streams away from workers before they are removed, so that no stream is interrupted for longer than by a move; autoscalers scale the pool. Auto: the pool scales its target to the number of workers that weights, pins and spread groups need, between minReplicas and maxReplicas. Default: Follow. */
    readonly scaling: 'Follow' | 'Lead' | 'Auto';
    /** With scaling Lead: the number of workers. `kubectl scale swarmpool` and autoscalers set it. Refused with Follow, which ignores a value left by an earlier Lead. At most 10,000. Default: copied from the target once. */
    readonly replicas?: number;
    /** With scaling Auto: the smallest number of workers. Default: 1. */
    readonly minReplicas?: number;
    /** With scaling Auto: the largest number of workers. Required with Auto. */
    readonly maxReplicas?: number;
    /** With scaling Auto: the pool scales down after fewer workers have been enough for this many seconds. It scales up at once. Default: 300. */
    readonly scaleDownDelaySeconds: number;
    /** The capacity of one worker, in the unit of the weights. The weights of its streams never exceed it, unless overcommit is Allow, or capacity was lowered below the weights of streams that run there. Set it to use a unit other than percent, such as Mbit/s. Default: 100. */
    readonly capacity: number;
    /** Ordinals of workers that get no streams; their streams move to other workers, for example before work on a node. The workers stay in the pool. Default: none. */
    readonly cordoned?: readonly number[];
    /** With scaling Lead or Auto: a scale-down waits this many seconds for the workers that it removes to become empty, and then goes on. Default: 60. */
    readonly drainTimeoutSeconds: number;
    /** What happens to the streams of a worker that is not Ready, for example because its node is lost. */
    readonly failover?: {
      /** AfterTimeout: other workers take them over after timeoutSeconds, unless more than maxUnavailable workers are unavailable; the worker gets streams again after it has been Ready for 10 seconds. Never: they wait for their worker. Default: AfterTimeout, or Never with handoff.type Exclusive. */
      readonly policy?: 'AfterTimeout' | 'Never';
      /** Seconds before other workers take over. Choose more than a pod needs to restart, or every restart moves its streams twice. A worker that has never been Ready is replaced after the same time, however many are unavailable; with handoff.type Exclusive only if it has no pod. Default: 300. */
      readonly timeoutSeconds: number;
      /** While more workers than this are unavailable, no streams are taken over, because the remaining workers may not be able to run them all. A number, or a percentage of the workers that have been Ready, such as "50%". Default: 50%. */
      readonly maxUnavailable: number | string;
    };
  };
  /** What happens to streams whose weights do not fit on the workers. Deny: they stay unassigned, with a reason and the number of workers that would be enough. Allow: they are assigned anyway, and the condition Overcommitted is True. Default: Deny. */
  readonly overcommit: 'Deny' | 'Allow';
  /** When streams move although they could stay on their worker. */
  readonly rebalance: {
    /** Always: whenever streams or workers change, the load is balanced with as few moves as possible. WhenRequired: only streams that lost their worker move; for streams that are expensive to start. Default: Always. */
    readonly policy: 'Always' | 'WhenRequired';
    /** The largest number of streams that may move in one change; the rest follows in later changes. Streams that lost their worker do not count. 0 means no limit. Default: 0. */
    readonly maxMoves: number;
    /** Streams are balanced after the workers have been the same for this many seconds; a worker that appears, disappears or restarts resets the time. Streams without a worker do not wait. Default: 0. */
    readonly delaySeconds: number;
  };
  /** The ConfigMap that contains the assignment and that the workers mount. */
  readonly assignments: {
    /** The name of the ConfigMap. It must not belong to anything else. The operator uses an existing one if it has the annotation k8slab.info/pool with this pool's name and does not contain the key yet. Default: <pool>-assignments. */
    readonly configMapName?: string;
    /** The key in the ConfigMap, and so the name of the file that workers read. Default: config.yml. */
    readonly key: string;
    /** The number of ConfigMaps, for lists that are too long for one; if a list is refused for its length, status says how many are enough. More than 1 makes <name>-0, <name>-1 and so on, with the keys config-0.yml, config-1.yml. Default: 1. */
    readonly shards: number;
    /** Retain: the ConfigMap stays when the pool is deleted, the workers keep running, and a new pool of the same name continues with it. Delete: it is deleted ten seconds after the pool; it stays if the whole definition (CRD) was deleted, or if no operator was running when the pool was deleted. Default: Retain. */
    readonly whenDeleted: 'Retain' | 'Delete';
  };
  /** How a worker learns that its streams changed. Workers whose streams did not change are not touched. */
  readonly refresh: {
    /** Reload: the operator annotates the pod, so that the mounted file changes within a second, and the worker reads it again. Restart: the operator evicts the pod; for workers that read the file only when they start. Auto: Reload, and Restart if the worker still runs its earlier streams after timeoutSeconds. Default: Reload. */
    readonly mode: 'Reload' | 'Restart' | 'Auto';
    /** With Restart and Auto: how many workers may be unavailable at a time, as a number or a percentage such as "25%". PodDisruptionBudgets are respected too. Default: 1. */
    readonly maxUnavailable: number | string;
    /** A worker that does not confirm its streams within this many seconds of its start, a change or its last confirmation is Stuck and, with Auto, restarted. Choose more than its streams need to stop and start. Default: 60. */
    readonly timeoutSeconds: number;
  };
  /** What happens when a stream moves from one worker to another. */
  readonly handoff: {
    /** AtLeastOnce: both workers may run it for a moment, so that the interruption is short. Exclusive: never two at a time, for streams that a second consumer would harm. The new worker gets the stream after the old one has confirmed that it stopped, or after all containers of its pod have ended. A worker that cannot be reached keeps its streams, and status names it. Exclusive requires StatefulSets, one shard, workers that confirm, and pods that mount their annotation k8slab.info/assigned. Default: AtLeastOnce. */
    readonly type: 'AtLeastOnce' | 'Exclusive';
  };
  /** How the operator asks a worker which streams it runs. A worker has converged only after it answered. */
  readonly probe: {
    /** HTTPGet: the operator sends a request to each pod. None: for workers that cannot answer; a worker has converged when its pod was replaced after the change and is Ready, so use it with refresh.mode Restart. Default: HTTPGet. */
    readonly type: 'HTTPGet' | 'None';
    /** The request that the operator sends to each pod. */
    readonly httpGet: {
      /** A number from 1 to 65535, or the name of a container's port. Default: 9090. */
      readonly port: number | string;
      /** The path of the request. Default: /internal/version. */
      readonly path: string;
      /** HTTP or HTTPS. The certificate is verified if the operator has --probe-ca-file. Default: HTTP. */
      readonly scheme: 'HTTP' | 'HTTPS';
    };
  };
  /** The operator shows in status.plan what it would change, and changes nothing. The annotation k8slab.info/paused set to "true" does the same without an edit of the spec. Default: false. */
  readonly paused: boolean;
};

/** The observed state of the pool. Only the operator writes it. */
export type SwarmPoolStatus = {
  /** The generation of the spec that this status describes. */
  readonly observedGeneration?: number;
  /** The version of the published assignment. */
  readonly version?: number;
  /** The number of workers that the target wants. */
  readonly replicas?: number;
  /** The label selector of the target's pods. */
  readonly selector?: string;
  /** The workload whose pods are the workers, such as "StatefulSet/swarm-worker". */
  readonly target?: string;
  /** The number of workers whose pod is Ready. */
  readonly readyReplicas?: number;
  /** The number of workers that run exactly their assigned streams. */
  readonly convergedReplicas?: number;
  /** The number of workers that weights, pins and spread groups need. */
  readonly requiredReplicas?: number;
  /** The number of streams by state. While the pool cannot be assigned: only the total, if the list can be read, and 0 assigned if nothing was published yet. */
  readonly streams?: {
    /** Streams in the list. */
    readonly total: number;
    /** Streams with a worker. */
    readonly assigned?: number;
    /** Streams without a worker. */
    readonly unassigned?: number;
    /** Failing streams, as reported by the workers; absent if no worker reports stream states. */
    readonly failing?: number;
    /** Completed streams: as recorded with streamPolicy.completion Once, otherwise as reported by the workers. */
    readonly completed?: number;
    /** Suspended streams; absent if there are none. */
    readonly suspended?: number;
    /** Streams that do not run because their worker is down; absent if there are none. */
    readonly down?: number;
  };
  /** The first 20 failing streams, longest failing first. */
  readonly failing?: readonly {
    /** The name of the stream. */
    readonly name: string;
    /** The worker that runs the stream. */
    readonly worker: string;
    /** Restarting: the stream keeps ending by itself, or cannot be started. Failed: the worker does not start it again. */
    readonly state: 'Restarting' | 'Failed';
    /** The number of restarts since the stream last ran well. */
    readonly restarts?: number;
    /** When the stream started to fail. */
    readonly since?: string;
    /** The last line that the stream wrote, without the values of its parameters. */
    readonly message?: string;
  }[];
  /** A removal of streams that waits for a confirmation (see spec.removal). */
  readonly removal?: {
    /** The number of streams that would be removed. */
    readonly total: number;
    /** A hash of the names of these streams. The annotation k8slab.info/confirm-removal with this value confirms this removal. */
    readonly digest: string;
    /** The removal as a sentence. */
    readonly message: string;
  };
  /** The first 100 workers. */
  readonly workers?: readonly {
    /** The name of the worker's pod; `slot N` if a Deployment has no pod for it. */
    readonly name: string;
    /** With a Deployment: the number of the worker's slot, which pods take over from each other. */
    readonly slot?: number;
    /** The streams assigned to the worker. */
    readonly jobs?: readonly string[];
    /** The number of streams assigned to the worker, if jobs is truncated. */
    readonly total?: number;
    /** A hash of all streams of the worker, if jobs is truncated. */
    readonly digest?: string;
    /** The sum of the weights of the worker's streams. */
    readonly load?: number;
    /** The version at which the worker's streams last changed. */
    readonly version?: number;
    /** The version that the worker last reported. */
    readonly reportedVersion?: number;
    /** The number of the worker's streams that fail; absent if the worker does not report stream states. */
    readonly failing?: number;
    /** Pending: the worker's pod is not Ready. Refreshing: the worker has not confirmed its streams yet. Releasing: its streams move away, or it has not confirmed that it stopped some. Converged: it runs exactly its assigned streams. Stuck: it has not confirmed in time. Missing: it has no pod, or was unavailable for too long. Cordoned: it has no streams and gets none. */
    readonly state: 'Pending' | 'Refreshing' | 'Releasing' | 'Converged' | 'Stuck' | 'Missing' | 'Cordoned';
    /** Why the worker is in that state. */
    readonly message?: string;
    /** When other workers take over the streams of a worker that stays down; absent if they do not, or if the worker is not down. */
    readonly takeoverTime?: string;
  }[];
  /** The first 100 streams without a worker. */
  readonly unassigned?: readonly {
    /** The name of the stream. */
    readonly name: string;
    /** The reason as one word, such as InsufficientCapacity or PinnedWorkerMissing. */
    readonly reason: string;
    /** The reason as a sentence. */
    readonly message?: string;
  }[];
  /** The first 20 streams that keep their worker and their earlier weight, because the list has an error in their weight or ordinal. */
  readonly kept?: readonly {
    /** The name of the stream. */
    readonly name: string;
    /** The worker that keeps the stream. */
    readonly worker: string;
    /** TooHeavy or PinnedWorkerMissing. */
    readonly reason: string;
    /** The value in the list, what is allowed, and the weight in use. */
    readonly message: string;
  }[];
  /** While the pool is paused: the changes that the operator would make. */
  readonly plan?: {
    /** The number of streams that would move. */
    readonly total: number;
    /** The first 100 moves. */
    readonly moves?: readonly {
      /** The name of the stream. */
      readonly stream: string;
      /** The current worker; absent if the stream is new. */
      readonly from?: string;
      /** The next worker; absent if the stream is removed or does not fit. */
      readonly to?: string;
      /** Why the stream would move. */
      readonly reason: string;
    }[];
  };
  /** The last 20 changes, the newest first. */
  readonly history?: readonly {
    /** The version that the change published. */
    readonly version: number;
    /** The number of streams that the change moved. */
    readonly moves: number;
    /** The cause of the change, such as StreamsChanged, WorkersChanged or WorkerMissing. */
    readonly reason: string;
    /** When the version was published. */
    readonly publishTime: string;
    /** When all workers had confirmed the version. */
    readonly convergenceTime?: string;
  }[];
  /** Ready, Converged, Reconciling, Stalled, Overcommitted, Mounted, ProbeUnreachable, StreamsHealthy, Complete. */
  readonly conditions?: readonly {
    /** The type of the condition. */
    readonly type: string;
    /** True, False or Unknown. */
    readonly status: 'True' | 'False' | 'Unknown';
    /** The reason as one word, for programs. */
    readonly reason: string;
    /** The reason as a sentence that names fields and workers. */
    readonly message: string;
    /** The generation of the spec that the condition describes. */
    readonly observedGeneration?: number;
    /** When the status last changed. */
    readonly lastTransitionTime: string;
  }[];
};

/** The quota, the order of the jobs, and defaults for fields that jobs omit. */
export type SwarmQueueSpec = {
  /** The largest amounts that the jobs of this queue may use at a time, as a quantity by resource: pods, cpu, memory, or the name of any other resource. A quota that omits pods, cpu, memory or ephemeral-storage does not limit it; a job that needs any other omitted resource is not admitted. If the quota limits cpu, memory or ephemeral-storage, a job is admitted only if its pods request it. */
  readonly quota: Readonly<Record<string, number | string>>;
  /** StrictFIFO: no job of the queue passes the first job that waits or backs off, unless that job can never start, or its user has as much as maxPerUser allows. BestEffort: a job may pass the first two jobs that wait if it uses no resource that they wait for, or if its deadline ends it before they can start at the latest. Jobs with a higher priority go first, and older jobs before younger ones of the same priority. Default: BestEffort. */
  readonly strategy: 'StrictFIFO' | 'BestEffort';
  /** The largest amounts that the jobs of one user may use at a time in this queue, by resource. The annotation k8slab.info/user of a job names its user; all jobs without it count as jobs of one user. An omitted resource has no limit for a user. */
  readonly maxPerUser?: Readonly<Record<string, number | string>>;
  /** The highest priority that a job may have; a job with a higher priority waits, and its status says why. Default: 0. */
  readonly maxPriority: number;
  /** Defaults for fields that a job omits. */
  readonly jobDefaults: {
    /** The priority of jobs that omit it. Default: 0. */
    readonly priority: number;
    /** How long a SwarmJob may run, in seconds. Default: no limit. */
    readonly activeDeadlineSeconds?: number;
    /** How long before its deadline a SwarmJob gets SIGTERM, in seconds. Ignored for a job without a deadline, and for a batch Job with the label k8slab.info/queue. Default: 0, SIGTERM comes at the deadline. */
    readonly deadlineSignalSeconds?: number;
    /** How long a job may take to start, in seconds. A batch Job with the label k8slab.info/queue has started when one of its pods runs; a batch Job that does not start in time is suspended, and queued again behind the other jobs of its priority. Default: 300 for a SwarmJob, no limit for such a batch Job. */
    readonly startTimeoutSeconds?: number;
    /** How long a job is kept after it has ended, in seconds. Default: it is not deleted. */
    readonly ttlSecondsAfterFinished?: number;
  };
  /** The largest time that any job may run, in seconds; a job that has run for longer ends at once. A job with a larger activeDeadlineSeconds waits, and its status says why. Default: no limit. */
  readonly maxActiveDeadlineSeconds?: number;
  /** True: the queue admits no job; jobs that run go on, and the status of each waiting job names the reason. The annotation k8slab.info/paused set to "true" does the same without an edit of the spec. Default: false. */
  readonly paused: boolean;
  /** Which running jobs end early so that another may start. */
  readonly preemption?: {
    /** LowerPriority: the operator ends the fewest jobs of this queue with a lower priority, the youngest first, and only if the other job can then start. The ended jobs wait again, and keep their age. Never: no job ends. Default: Never. */
    readonly withinQueue: 'Never' | 'LowerPriority';
  };
};

/** The observed state of the queue. Only the operator writes it. */
export type SwarmQueueStatus = {
  /** The generation of the spec that this status describes. */
  readonly observedGeneration?: number;
  /** The number of jobs that wait. */
  readonly pending?: number;
  /** The number of admitted jobs. */
  readonly running?: number;
  /** The amounts of the quota in use, by resource: the requests of pods that have not ended, or the admitted amounts, whichever is larger. */
  readonly usage?: Readonly<Record<string, string>>;
  /** The first 20 jobs with pods that should end and have not, for example on a node that does not answer: these pods use the quota until they end. */
  readonly held?: readonly {
    /** The name of the job. */
    readonly name: string;
    /** The number of its pods that have not ended. */
    readonly pods: number;
    /** The pod that does not end, and why. */
    readonly message: string;
  }[];
  /** The first 10 jobs that wait, in their order. Jobs that can never start unless a user changes something come last. Updated at most every two seconds. */
  readonly waiting?: readonly {
    /** The name of the job. */
    readonly name: string;
    /** The reason as one word, such as WaitingForQuota or BehindHead. */
    readonly reason: string;
    /** The reason as a sentence with numbers. */
    readonly message?: string;
  }[];
  /** Ready, Reconciling, Stalled, Paused. */
  readonly conditions?: readonly {
    /** The type of the condition. */
    readonly type: string;
    /** True, False or Unknown. */
    readonly status: 'True' | 'False' | 'Unknown';
    /** The reason as one word, for programs. */
    readonly reason: string;
    /** The reason as a sentence. */
    readonly message: string;
    /** The generation of the spec that the condition describes. */
    readonly observedGeneration?: number;
    /** When the status last changed. */
    readonly lastTransitionTime: string;
  }[];
};

export type PoolStream = NonNullable<SwarmPoolSpec['streams']>[number];
