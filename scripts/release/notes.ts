// What do readers of a release need? What CHANGELOG.md says of it, how to install it, and how to
// verify where it comes from. Usage: release/notes.ts VERSION SOURCE REGISTRY OPERATOR WORKER, the
// last two as images by digest; prints the notes.
import { readFileSync } from 'node:fs';
import { sectionOf } from './changelog.ts';

export type Notes = {
  readonly version: string;
  /** The project's page. */
  readonly source: string;
  /** Of the chart. */
  readonly registry: string;
  readonly operator: string;
  readonly worker: string;
};

export function releaseNotes(changelog: string, notes: Notes): string {
  const { version, source, registry, operator, worker } = notes;
  const tag = `v${version}`;
  const section = sectionOf(changelog, version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no version ${version}`);
  const text = withWholeLinks(unwrapped(section.text), `${source}/blob/${tag}`);
  const chart = `oci://${registry}/swarm-operator --version ${version}`;
  const signer = [
    `--certificate-identity ${source}/.github/workflows/release.yml@refs/tags/${tag}`,
    '--certificate-oidc-issuer https://token.actions.githubusercontent.com',
  ].join(' \\\n  ');
  return `${text}

## Install

\`\`\`sh
kubectl apply -f ${source}/releases/download/${tag}/install.yaml
# or
helm install swarm-operator ${chart} --namespace swarm-operator --create-namespace
\`\`\`

| | |
|---|---|
| the operator | \`${operator}\` |
| workers | \`${worker}\` |
| \`swarmctl\` | \`npm install --global swarm-operator@${version}\` |
| the library for workers | \`npm install swarm-worker@${version}\` |

## Verify

Images and chart are signed by this repository's release workflow, and so is \`SHA256SUMS\` of the files below. Images have an SBOM and provenance for each processor, the packages provenance (\`npm audit signatures\`).

\`\`\`sh
cosign verify ${operator} \\
  ${signer}
cosign verify-blob SHA256SUMS --bundle SHA256SUMS.sigstore.json \\
  ${signer}
sha256sum --check SHA256SUMS
docker buildx imagetools inspect ${operator} --format '{{ json .SBOM }}'
\`\`\`
`;
}

/** A page of releases shows the end of a line as one, also where it only ends the column. */
function unwrapped(text: string): string {
  return text.replaceAll(/(?<!\n)\n *(?=[^\s#|-])/g, ' ');
}

/** The links of CHANGELOG.md begin at its folder, which a page of releases does not have. */
function withWholeLinks(text: string, base: string): string {
  return text.replaceAll(/\]\((?!https?:|#)([^)\s]+)\)/g, `](${base}/$1)`);
}

if (import.meta.main) {
  const [version = '', source = '', registry = '', operator = '', worker = ''] =
    process.argv.slice(2);
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  console.log(releaseNotes(changelog, { version, source, registry, operator, worker }));
}
