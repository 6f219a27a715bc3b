// What do the annotations of a member say, where a selector finds it? What says nothing that the
// spec could say is wrong.
import type { KubeObject } from '../../../../src/api/objects.ts';

type Rules = Readonly<Record<string, unknown>>;

export type Annotated = {
  /** None, where any is wrong. */
  readonly rules: Rules;
  /** The names of those that are wrong, alone or together. */
  readonly wrong: readonly string[];
};

const MOST_REPLICAS = 100_000_000;

const isWhole = (text: string, most: number): boolean =>
  [...text].every((it) => it >= '0' && it <= '9') && text !== '' && Number(text) <= most;

function isDecimal(text: string, most: number): boolean {
  const [whole = '', decimals = '0', ...others] = text.split('.');
  const isNumber = isWhole(whole, 9_999) && isWhole(decimals, 999_999_999) && others.length === 0;
  return isNumber && decimals.length <= 9 && Number(text) > 0 && Number(text) <= most;
}

const fields: Readonly<
  Record<string, readonly [name: string, isRight: (text: string) => boolean, isText: boolean]>
> = {
  ratio: ['k8slab.info/ratio', (text) => isDecimal(text, 1_000), true],
  stage: ['k8slab.info/stage', (text) => isWhole(text, 99), false],
  minReplicas: ['k8slab.info/min-replicas', (text) => isWhole(text, MOST_REPLICAS), false],
  maxReplicas: ['k8slab.info/max-replicas', (text) => isWhole(text, MOST_REPLICAS), false],
  readyFraction: ['k8slab.info/ready-fraction', (text) => isDecimal(text, 1), true],
};

export const memberAnnotations: readonly string[] = Object.values(fields).map(([name]) => name);

/** `defaults`: what stands in the spec for all. */
export function annotatedRules({ metadata }: KubeObject, defaults: Rules): Annotated {
  const rules: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [field, [name, isRight, isText]] of Object.entries(fields)) {
    const text = metadata.annotations?.[name];
    if (text === undefined) continue;
    if (!isRight(text)) wrong.push(name);
    rules[field] = isText ? text : Number(text);
  }
  const { minReplicas = 0, maxReplicas = MOST_REPLICAS } = { ...defaults, ...rules };
  const isTurned = wrong.length === 0 && Number(minReplicas) > Number(maxReplicas);
  const bounds = ['k8slab.info/min-replicas', 'k8slab.info/max-replicas'];
  const all = isTurned ? bounds : wrong;
  return { rules: all.length > 0 ? {} : rules, wrong: all };
}
