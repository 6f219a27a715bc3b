// What does the API server refuse that a schema cannot say? A twin of each rule in crds/, under the
// very text of it.
import { asList, asRecord, dig, own } from '../../api/objects.ts';
import type { Problem } from '../../api/validate.ts';

/**
 * `self`: what the rule stands at. Undefined: it holds; else the message, where it is not that of
 * the rule.
 */
type Twin = (self: unknown) => string | true | undefined;

const isExclusive = (spec: unknown): boolean => dig(spec, 'handoff', 'type') === 'Exclusive';
const isDeployment = (spec: unknown): boolean =>
  dig(spec, 'workers', 'kind') === 'Deployment' ||
  dig(spec, 'workers', 'targetRef', 'kind') === 'Deployment';
const broken = (isBroken: boolean): true | undefined => (isBroken ? true : undefined);
const has = (self: unknown, field: string): boolean => dig(self, field) !== undefined;
const onDeployment =
  "!((has(self.workers.kind) && self.workers.kind == 'Deployment') || (has(self.workers.targetRef) && self.workers.targetRef.kind == 'Deployment'))";

export const twins: ReadonlyMap<string, Twin> = new Map<string, Twin>([
  [
    'self.metadata.name.size() <= 63',
    (self) => broken(String(dig(self, 'metadata', 'name')).length > 63),
  ],
  [
    "self.handoff.type != 'Exclusive' || self.assignments.shards == 1",
    (self) => broken(isExclusive(self) && dig(self, 'assignments', 'shards') !== 1),
  ],
  [
    "self.handoff.type != 'Exclusive' || self.probe.type == 'HTTPGet'",
    (self) => broken(isExclusive(self) && dig(self, 'probe', 'type') !== 'HTTPGet'),
  ],
  [
    `self.handoff.type != 'Exclusive' || ${onDeployment}`,
    (self) => broken(isExclusive(self) && isDeployment(self)),
  ],
  [
    `self.refresh.mode != 'Restart' || ${onDeployment}`,
    (self) => broken(dig(self, 'refresh', 'mode') === 'Restart' && isDeployment(self)),
  ],
  [
    `self.probe.type != 'None' || ${onDeployment}`,
    (self) => broken(dig(self, 'probe', 'type') === 'None' && isDeployment(self)),
  ],
  [
    "self.handoff.type != 'Exclusive' || !has(self.workers.failover) || !has(self.workers.failover.policy) || self.workers.failover.policy == 'Never'",
    (self) =>
      broken(
        isExclusive(self) && (dig(self, 'workers', 'failover', 'policy') ?? 'Never') !== 'Never',
      ),
  ],
  [
    'has(self.selector) != has(self.targetRef)',
    (self) => {
      if (has(self, 'selector') !== has(self, 'targetRef')) return undefined;
      return has(self, 'selector')
        ? 'workers has both selector and targetRef: leave one of them out'
        : 'workers names nobody: give one of selector.matchLabels and targetRef.name';
    },
  ],
  // A file knows of no earlier object: made of it, the pool would be refused.
  [
    "!has(self.replicas) || self.scaling == 'Lead' || (oldSelf.hasValue() && has(oldSelf.value().replicas) && oldSelf.value().replicas == self.replicas)",
    (self) => broken(has(self, 'replicas') && dig(self, 'scaling') !== 'Lead'),
  ],
  [
    '!has(self.kind) || !has(self.targetRef) || self.kind == self.targetRef.kind',
    (self) => {
      const [kind, other] = [dig(self, 'kind'), dig(self, 'targetRef', 'kind')];
      const isSame = kind === undefined || !has(self, 'targetRef') || kind === other;
      return isSame
        ? undefined
        : `workers.kind is ${kind}, workers.targetRef.kind is ${other}: leave workers.kind out`;
    },
  ],
  [
    "self.matches('^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$')",
    (self) => broken(!/^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/.test(String(self))),
  ],
  [
    "self.all(name, name.matches('^[-._a-zA-Z0-9]{1,253}$'))",
    (self) =>
      broken(
        !Object.keys(asRecord(self) ?? {}).every((name) => /^[-._a-zA-Z0-9]{1,253}$/.test(name)),
      ),
  ],
  [
    "type(self) == int ? self >= 1 : self.matches('^([1-9][0-9]?|100)%$')",
    (self) =>
      broken(typeof self === 'number' ? self < 1 : !/^([1-9][0-9]?|100)%$/.test(String(self))),
  ],
  [
    "type(self) == int ? self >= 1 && self <= 65535 : self.matches('^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$')",
    (self) =>
      broken(
        typeof self === 'number'
          ? self < 1 || self > 65_535
          : !/^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/.test(String(self)),
      ),
  ],
]);

/** What a schema says besides what ajv checks. */
export type RuleSchema = {
  readonly properties?: Readonly<Record<string, RuleSchema>>;
  readonly items?: RuleSchema;
  readonly additionalProperties?: RuleSchema;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly {
    readonly rule: string;
    readonly message: string;
  }[];
};

/** `value` with its defaults. The rules of what is not there are not asked. */
export function brokenRules(schema: RuleSchema, value: unknown, path = ''): readonly Problem[] {
  const here = (schema['x-kubernetes-validations'] ?? []).flatMap(({ rule, message }) => {
    const twin = twins.get(rule);
    if (twin === undefined) throw new Error(`no twin of the rule ${rule}`);
    const told = twin(value);
    return told === undefined ? [] : [{ field: path, message: told === true ? message : told }];
  });
  const fields = Object.entries(asRecord(value) ?? {}).flatMap(([name, inner]) => {
    const known = own(schema.properties, name) ?? schema.additionalProperties;
    return known === undefined ? [] : brokenRules(known, inner, joined(path, name));
  });
  const items = asList(value).flatMap((item, index) =>
    brokenRules(schema.items ?? {}, item, `${path}[${index}]`),
  );
  return [...here, ...duplicates(schema, value, path), ...fields, ...items];
}

/** A list that is a map, or a set, names nothing twice. */
function duplicates(schema: RuleSchema, value: unknown, path: string): readonly Problem[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys === undefined && schema['x-kubernetes-list-type'] !== 'set') return [];
  const first = new Map<string, number>();
  return asList(value).flatMap((item, index) => {
    const named = JSON.stringify(keys === undefined ? item : keys.map((key) => dig(item, key)));
    const earlier = first.get(named);
    first.set(named, earlier ?? index);
    const shown =
      keys === undefined
        ? named
        : keys.map((key) => `${key} ${JSON.stringify(dig(item, key))}`).join(', ');
    return earlier === undefined
      ? []
      : [
          {
            field: `${path}[${index}]`,
            message: `Duplicate value: ${shown} is already ${path}[${earlier}]`,
          },
        ];
  });
}

export const joined = (path: string, name: string): string =>
  path === '' ? name : `${path}.${name}`;
