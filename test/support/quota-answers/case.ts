// What is one namespace of the table of quotas? Its quotas and defaults, its pods in the order in
// which they were made, and what the API server answered to each.

/** Pods of the table exist beside these objects, which are in no namespace. */
export type ClusterObjects = {
  readonly runtimeClasses: readonly NamedObject[];
  /** One of them may be the global default. */
  readonly priorityClasses: readonly NamedObject[];
};

export type NamedObject = { readonly name: string; readonly [field: string]: unknown };

/** Specs, as a user writes them. */
export type QuotaCase = {
  readonly name: string;
  /** Its pods are made while the cluster has a PriorityClass that is the global default. */
  readonly hasDefaultClass: boolean;
  readonly limitRange?: object;
  /** By name. */
  readonly quotas: Readonly<Record<string, object>>;
  readonly pods: readonly object[];
};

/** Amounts by resource, as quantities. */
type Quantities = Readonly<Record<string, string>>;

export type Answer =
  /** By how much the used amounts of each quota have grown; what has not grown is left out. */
  | { readonly is: 'created'; readonly takes: Readonly<Record<string, Quantities>> }
  /** Containers that lack a field that the quota demands, by the field. */
  | {
      readonly is: 'lacking';
      readonly quota: string;
      readonly fields: Readonly<Record<string, readonly string[]>>;
    }
  /** What the pod would take of the resources of which too little is free. */
  | { readonly is: 'exceeding'; readonly quota: string; readonly takes: Quantities }
  /** Refused for another reason than a quota. */
  | { readonly is: 'invalid'; readonly message: string };

/** With what the API server has answered. */
export type AnsweredCase = Omit<QuotaCase, 'pods'> & {
  readonly pods: readonly { readonly spec: object; readonly answer: Answer }[];
};

export type QuotaTable = ClusterObjects & {
  /** Its version. */
  readonly kubernetes: string;
  readonly cases: readonly AnsweredCase[];
};

/** Undefined: the message is not about a quota. */
export function refusalIn(message: string): Answer | undefined {
  const lacking = /failed quota: ([^:]+): must specify (.*)$/.exec(message);
  if (lacking !== null) {
    const [, quota = '', list = ''] = lacking;
    const fields = list.split('; ').map((it): [string, readonly string[]] => {
      const [field = '', names = ''] = it.split(' for: ');
      return [field, names.split(',')];
    });
    return { is: 'lacking', quota, fields: Object.fromEntries(fields) };
  }
  const exceeding = /exceeded quota: ([^,]+), requested: (.*), used: .*, limited: /.exec(message);
  if (exceeding === null) return undefined;
  const [, quota = '', list = ''] = exceeding;
  const takes = list.split(',').map((it) => it.split('=') as [string, string]);
  return { is: 'exceeding', quota, takes: Object.fromEntries(takes) };
}
