// Which build is this? package.json contains the version; an image has commit and date in its
// environment.
import { asString, dig } from './objects.ts';

export type Build = { readonly version: string; readonly commit: string; readonly date: string };

export function buildOf(
  packageJson: string,
  environment: Readonly<Record<string, string | undefined>>,
): Build {
  const named: unknown = JSON.parse(packageJson);
  return {
    version: asString(dig(named, 'version')) ?? 'unknown',
    commit: environment['SWARM_BUILD_COMMIT'] || 'unknown',
    date: environment['SWARM_BUILD_DATE'] || 'unknown',
  };
}

/** The text that `--version` shows. */
export const buildText = ({ version, commit, date }: Build): string =>
  `${version} (commit ${commit}, built ${date})`;

/** The lines of a Prometheus gauge that is always 1, with the build in its labels. */
export function buildMetric(name: string, { version, commit, date }: Build): readonly string[] {
  const labels = Object.entries({ version, commit, date }).map(
    ([label, value]) => `${label}=${JSON.stringify(value)}`,
  );
  return [
    `# HELP ${name} Which build this is.`,
    `# TYPE ${name} gauge`,
    `${name}{${labels.join(',')}} 1`,
  ];
}
