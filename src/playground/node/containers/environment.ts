// Which environment and which command line does a container get?

import type { Image } from '../images.ts';
import { fieldOf, type PodFacts, resourceOf } from '../pods/fields.ts';
import { type Container, type EnvSource, everyContainer, type Strings } from '../pods/pod-spec.ts';
import type { Lookup, Reference } from '../volumes/references.ts';

export type EnvironmentInputs = PodFacts & {
  readonly lookup: Lookup;
  readonly allocatable: Strings;
  /** What every container of this node is given: PATH, POD_IP, where the API server is. */
  readonly given: Strings;
};

/** The first thing that is missing, in a kubelet's words. */
export type Missing = { readonly missing: string };

export const isMissing = (value: object): value is Missing => 'missing' in value;

const kinds = { configMap: 'ConfigMap', secret: 'Secret' } as const;

/** Which ConfigMaps and Secrets have to be read before the environment can be made. */
export function referencedBy(container: Container): readonly Reference[] {
  const fromKeys = container.env.flatMap((entry) =>
    'source' in entry && 'key' in entry.source ? [entry.source] : [],
  );
  return [...container.envFrom, ...fromKeys].map(({ from, name }) => ({ from, name }));
}

/**
 * Later entries win: what is always given, the image's, envFrom, env. References see what stands
 * above them.
 */
export function environmentOf(
  container: Container,
  image: Image,
  inputs: EnvironmentInputs,
): Strings | Missing {
  const env = new Map(Object.entries({ ...inputs.given, ...image.env }));
  for (const { from, name, prefix, optional } of container.envFrom) {
    const data = inputs.lookup(from, name);
    if (data === undefined && !optional)
      return { missing: `${from.toLowerCase()} "${name}" not found` };
    for (const [key, value] of data ?? []) env.set(`${prefix}${key}`, value.toString());
  }
  for (const entry of container.env) {
    const value =
      'value' in entry ? expand(entry.value, env) : resolve(entry.source, container, inputs);
    if (typeof value === 'string') env.set(entry.name, value);
    else if (value !== undefined) return value;
  }
  return Object.fromEntries(env);
}

/** Undefined: optional and absent, so the variable is not set at all. */
function resolve(
  source: EnvSource,
  container: Container,
  inputs: EnvironmentInputs,
): string | undefined | Missing {
  switch (source.from) {
    case 'field':
      return fieldOf(inputs, source.path) ?? { missing: `unsupported fieldPath: ${source.path}` };
    case 'resource': {
      const owner =
        source.container === undefined
          ? container
          : everyContainer(inputs.pod).find(({ name }) => name === source.container);
      const value =
        owner === undefined
          ? undefined
          : resourceOf(owner, source.resource, source.divisor, inputs.allocatable);
      return value ?? { missing: `unsupported resourceFieldRef: ${source.resource}` };
    }
    case 'configMap':
    case 'secret': {
      const data = inputs.lookup(source.from, source.name);
      const value = data?.get(source.key)?.toString();
      if (value !== undefined || source.optional) return value;
      if (data === undefined)
        return { missing: `${source.from.toLowerCase()} "${source.name}" not found` };
      return {
        missing: `couldn't find key ${source.key} in ${kinds[source.from]} ${inputs.pod.ref.namespace}/${source.name}`,
      };
    }
    default:
      return source satisfies never;
  }
}

/**
 * `$(NAME)` becomes the variable's value, `$$(NAME)` stays as `$(NAME)`, and what is not known
 * stays as it is.
 */
export function expand(text: string, env: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name?: string) =>
    name === undefined ? '$' : (env.get(name) ?? whole),
  );
}

/**
 * The pod's command replaces the image's entry point and its arguments; the pod's args replace the
 * image's arguments only.
 */
export function commandOf(container: Container, image: Image, env: Strings): readonly string[] {
  const variables = new Map(Object.entries(env));
  const own = (words: readonly string[]): readonly string[] =>
    words.map((word) => expand(word, variables));
  if (container.command.length > 0) return [...own(container.command), ...own(container.args)];
  return [
    ...image.command,
    ...own(container.args.length > 0 ? container.args : (image.args ?? [])),
  ];
}
