// Kustomizations of the project, and overlays as a user would write them.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { dump, loadAll } from 'js-yaml';
import { isKubeObject, type KubeObject } from '../../../src/api/objects.ts';
import { defaultImages } from '../../../src/playground/node/images.ts';

export const repository = new URL('../../../', import.meta.url).pathname;

/** For the pods of the operator's Deployment there is no image: a test starts its one operator. */
export const withoutOperator = {
  images: Object.fromEntries(
    Object.entries(defaultImages).filter(([name]) => name !== 'swarm-operator'),
  ),
};

/** Every folder of the repository that `kubectl apply -k` accepts, by its path. */
export function kustomizations(under: string): readonly string[] {
  const files = readdirSync(path.join(repository, under), { recursive: true, encoding: 'utf8' });
  return files
    .filter(
      (file) =>
        path.basename(file) === 'kustomization.yaml' &&
        !file.split(path.sep).includes('components'),
    )
    .map((file) => path.join(under, path.dirname(file)))
    .sort();
}

type Cluster = {
  kubectl(...args: readonly string[]): Promise<string>;
  readonly playground: {
    readonly plane: {
      readonly binaries: { readonly kubectl: string };
      readonly kubeconfig: string;
    };
  };
};

export class Overlays {
  readonly #cluster: Cluster;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'swarm-overlays-'));

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * Writes a kustomization; in its texts, `repository` is replaced by the project's path. Returns
   * its folder.
   */
  write(name: string, kustomization: object): string {
    const folder = path.join(this.#folder, name);
    mkdirSync(folder, { recursive: true });
    // Kustomize accepts no absolute paths.
    const text = dump(kustomization).replaceAll(
      'repository/',
      `${path.relative(folder, repository)}/`,
    );
    writeFileSync(path.join(folder, 'kustomization.yaml'), text);
    return folder;
  }

  file(name: string, objects: readonly object[]): string {
    const file = path.join(this.#folder, name);
    writeFileSync(file, objects.map((object) => dump(object)).join('---\n'));
    return file;
  }

  async build(folder: string): Promise<readonly KubeObject[]> {
    return loadAll(await this.#cluster.kubectl('kustomize', path.resolve(repository, folder))).map(
      (object) => {
        if (!isKubeObject(object))
          throw new Error(`${folder}: not an object: ${JSON.stringify(object)}`);
        return object;
      },
    );
  }

  /** The API server's warnings for all objects, one by one; throws what it refuses. */
  async warningsOf(folder: string): Promise<string> {
    const { binaries, kubeconfig } = this.#cluster.playground.plane;
    const args = [
      'apply',
      '-k',
      path.resolve(repository, folder),
      '--dry-run=server',
      '--validate=strict',
      '-o',
      'name',
    ];
    return (await promisify(execFile)(binaries.kubectl, ['--kubeconfig', kubeconfig, ...args]))
      .stderr;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

export function only(objects: readonly KubeObject[], kind: string, name?: string): KubeObject {
  const [found, ...others] = objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  if (found === undefined || others.length > 0)
    throw new Error(`not just one ${kind} ${name ?? ''}`);
  return found;
}
