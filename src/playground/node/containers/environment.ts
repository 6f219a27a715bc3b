// The environment and the command line of a container.
import type { V1Container, V1EnvVarSource } from '@kubernetes/client-node';
import type { Image } from '../images.ts';
import { downwardValue, type PodFacts } from '../pods/fields.ts';
import type { Strings } from '../pods/pod-spec.ts';
import { type Lookup, type Reference, referenceTo } from '../volumes/references.ts';

export type EnvironmentInputs = PodFacts & {
  readonly lookup: Lookup;
  /** Variables that every container of this node gets, such as PATH and POD_IP. */
  readonly given: Strings;
};

/** The first thing that is missing, in a kubelet's words. */
export type Missing = { readonly missing: string };

export const isMissing = (value: object): value is Missing => 'missing' in value;

export const notFound = ({ from, name }: Reference): Missing => ({
  missing: `${from.toLowerCase()} "${name}" not found`,
});

/** The ConfigMaps and Secrets that the environment is made from. */
export function referencedBy({ env = [], envFrom = [] }: V1Container): readonly Reference[] {
  return [
    ...envFrom.map(({ configMapRef, secretRef }) => referenceTo(configMapRef, secretRef)),
    ...env.map(({ valueFrom }) => referenceTo(valueFrom?.configMapKeyRef, valueFrom?.secretKeyRef)),
  ].filter((reference) => reference !== undefined);
}

/**
 * Later entries win: what every container gets, the image's, envFrom, env. References see what
 * stands above them.
 */
export function environmentOf(
  container: V1Container,
  image: Image,
  inputs: EnvironmentInputs,
): Strings | Missing {
  const env = new Map(Object.entries({ ...inputs.given, ...image.env }));
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    const reference = referenceTo(configMapRef, secretRef);
    if (reference === undefined) continue;
    const data = inputs.lookup(reference.from, reference.name);
    if (data === undefined && !(configMapRef ?? secretRef)?.optional) return notFound(reference);
    for (const [key, value] of data ?? []) env.set(`${prefix}${key}`, value.toString());
  }
  for (const { name, value: text = '', valueFrom } of container.env ?? []) {
    const value =
      valueFrom === undefined ? expand(text, env) : resolve(valueFrom, container, inputs);
    if (typeof value === 'string') env.set(name, value);
    else if (value !== undefined) return value;
  }
  return Object.fromEntries(env);
}

/** Undefined: optional and absent, so the variable is not set at all. */
function resolve(
  source: V1EnvVarSource,
  container: V1Container,
  inputs: EnvironmentInputs,
): string | undefined | Missing {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = source;
  const reference = referenceTo(configMapKeyRef, secretKeyRef);
  const keyRef = configMapKeyRef ?? secretKeyRef;
  if (reference !== undefined && keyRef !== undefined) {
    const data = inputs.lookup(reference.from, reference.name);
    const value = data?.get(keyRef.key)?.toString();
    if (value !== undefined || keyRef.optional) return value;
    if (data === undefined) return notFound(reference);
    const kind = configMapKeyRef === undefined ? 'Secret' : 'ConfigMap';
    return {
      missing: `couldn't find key ${keyRef.key} in ${kind} ${inputs.pod.ref.namespace}/${reference.name}`,
    };
  }
  const value = downwardValue(source, inputs, container);
  if (value !== undefined) return value;
  return {
    missing: fieldRef
      ? `unsupported fieldPath: ${fieldRef.fieldPath}`
      : `unsupported resourceFieldRef: ${resourceFieldRef?.resource}`,
  };
}

/** `$(NAME)` becomes the variable's value, `$$(NAME)` becomes `$(NAME)`; unknown names stay. */
export function expand(text: string, env: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name?: string) =>
    name === undefined ? '$' : (env.get(name) ?? whole),
  );
}

/**
 * The pod's command replaces the image's entry point and its arguments; the pod's args replace the
 * image's arguments only.
 */
export function commandOf(
  { command = [], args = [] }: V1Container,
  image: Image,
  env: Strings,
): readonly string[] {
  const variables = new Map(Object.entries(env));
  const expanded = (words: readonly string[]) => words.map((word) => expand(word, variables));
  if (command.length > 0) return expanded([...command, ...args]);
  return [...image.command, ...expanded(args.length > 0 ? args : (image.args ?? []))];
}
