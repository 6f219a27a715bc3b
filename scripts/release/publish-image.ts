// Is this version of an image published, for all processors? If not, the images of the processors
// become one under the version's tag. A version never becomes another image, so that a release can
// run again. Usage: release/publish-image.ts REPOSITORY VERSION COMMIT SOURCE DIGEST…, which prints
// the digest.
import { existing, type Outcome, type Run, run, succeeded } from './command.ts';

export type ImageRelease = {
  readonly repository: string;
  readonly version: string;
  readonly commit: string;
  /** The project's page; the registry shows it. */
  readonly source: string;
  /** Of the images of the processors. */
  readonly digests: readonly string[];
};

const revision = 'org.opencontainers.image.revision';

/** Throws when the version is published from another commit. */
export function publishImage(release: ImageRelease, by: Run): string {
  const { repository, version, commit, source, digests } = release;
  const tag = `${repository}:${version}`;
  const look = `looking for ${tag}`;
  const tools = (...args: readonly string[]): Outcome =>
    by('docker', 'buildx', 'imagetools', ...args);
  const found = existing(look, tools('inspect', '--raw', tag));
  if (found !== undefined) checkCommit(found.stdout, release);
  else {
    const annotations = [
      `${revision}=${commit}`,
      `org.opencontainers.image.version=${version}`,
      `org.opencontainers.image.source=${source}`,
    ].flatMap((annotation) => ['--annotation', `index:${annotation}`]);
    const images = digests.map((digest) => `${repository}@${digest}`);
    succeeded(`publishing ${tag}`, tools('create', '--tag', tag, ...annotations, ...images));
  }
  const digest = succeeded(look, tools('inspect', '--format', '{{.Manifest.Digest}}', tag));
  return digest.stdout.trim();
}

function checkCommit(index: string, { repository, version, commit }: ImageRelease): void {
  const { annotations } = JSON.parse(index) as { annotations?: Readonly<Record<string, string>> };
  const from = annotations?.[revision] ?? 'an unknown commit';
  if (from !== commit)
    throw new Error(
      `${repository}:${version} is already published from ${from}, not from ${commit}`,
    );
}

if (import.meta.main) {
  const [repository = '', version = '', commit = '', source = '', ...digests] =
    process.argv.slice(2);
  console.log(publishImage({ repository, version, commit, source, digests }, run));
}
