// Which of the operator's settings can be given as values of the chart, and with which schema?
import type { Flag } from '../../src/flags.ts';
import { flags } from '../../src/settings.ts';
import type { ValueSchema } from './value-schema.ts';

/** Not in the map `settings`: what decides about them in a chart. */
const decidedElsewhere: Partial<Record<keyof typeof flags, string>> = {
  kubeconfig: 'a pod has its service account',
  context: 'a pod has its service account',
  kinds: 'the value `kinds`',
  namespaces: 'the value `watchNamespaces`, which makes the Roles, too',
  memberKinds: 'the value `memberKinds`, which grants the rights, too',
  leaderElection: 'always on: a rollout has two replicas side by side',
  leaseNamespace: "the release's namespace, where the Role for it is",
  registerCrds: 'the operator has no right to',
};

/** A port that is not known cannot be probed. */
const leastPort = { healthPort: 1, metricsPort: 1 };

export function settingSchemas(): Readonly<Record<string, ValueSchema>> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) =>
      Object.hasOwn(decidedElsewhere, name) ? [] : [[name, schemaOf(name, flag)]],
    ),
  );
}

function schemaOf(name: string, flag: Flag): ValueSchema {
  const description = sentence(flag.help.replaceAll('; 0: any free port', ''));
  switch (flag.type) {
    case 'whole': {
      const minimum = Math.max(
        flag.least,
        Object.entries(leastPort).find(([it]) => it === name)?.[1] ?? 0,
      );
      const example = flag.fallback;
      return { type: 'integer', minimum, maximum: flag.most, description, example };
    }
    case 'choice':
      return {
        type: 'string',
        enum: flag.among,
        description,
        example: flag.fallback ?? flag.among[0],
      };
    case 'text':
      return { type: 'string', minLength: 1, description, example: flag.fallback ?? '' };
    default:
      throw new Error(`settings.${name}: no schema for the type ${flag.type} yet`);
  }
}

/** A choice that is explained keeps its own letters. */
const sentence = (text: string): string =>
  `${/^\w+:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)}.`;
