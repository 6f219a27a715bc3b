// Bundles swarmctl and its completion with the packages that they use: of several hundred files a
// command needs a part of each, and reading them takes longer than the command.
import { realpathSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build, type Plugin } from 'vite';
import { root } from '../run.ts';

/** The modules that the programs import once the compile cache is on. */
const entries = ['run', 'complete'];

/** `dist`: the compiled sources. */
export async function bundleSwarmctl(dist: string): Promise<void> {
  const compiled = realpathSync(dist);
  const cli = path.join(compiled, 'cli');
  const bundle = path.join(cli, 'bundle');
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [compiledPlaces(compiled, bundle), lazyHttp],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: bundle,
      emptyOutDir: true,
      target: 'node22.19',
      minify: false,
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: {
        input: Object.fromEntries(entries.map((name) => [name, path.join(cli, `${name}.js`)])),
        treeshake: {
          // Its index exports the models of all of Kubernetes; we use its KubeConfig.
          moduleSideEffects: [
            { test: /node_modules\/@kubernetes\/client-node\//, sideEffects: false },
          ],
        },
        output: {
          comments: { legal: true, annotation: false, jsdoc: false },
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // Few files: to find one takes half a millisecond.
          codeSplitting: { groups: [{ name: 'shared', minShareCount: 3 }] },
        },
        checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
      },
    },
  });
  for (const name of entries)
    writeFileSync(path.join(cli, `${name}.js`), `export * from './bundle/${name}.js';\n`);
}

/**
 * The compiled modules may be outside of the project: packages are those of the project. A module
 * that reads a file beside it finds it beside the compiled module, not beside the bundle.
 */
const compiledPlaces = (compiled: string, bundle: string): Plugin => ({
  name: 'compiled-places',
  enforce: 'pre',
  resolveId(id, importer) {
    const isPackage = /^[@a-z]/.test(id) && !isBuiltin(id);
    return isPackage && importer?.startsWith(compiled) === true
      ? this.resolve(id, `${root}package.json`, { skipSelf: true })
      : undefined;
  },
  transform(code, id) {
    if (!id.startsWith(compiled)) return undefined;
    const file = path.relative(bundle, id);
    const pathOf = (its: string): string =>
      `process.getBuiltinModule('node:path').resolve(import.meta.dirname, ${JSON.stringify(its)})`;
    const places = {
      url: `new URL(${JSON.stringify(file)}, import.meta.url).href`,
      dirname: pathOf(path.dirname(file)),
      filename: pathOf(file),
    };
    return code.replaceAll(
      /\bimport\.meta\.(url|dirname|filename)\b/g,
      (_, name: keyof typeof places) => places[name],
    );
  },
});

const BUILTIN = '\0builtin:';

/**
 * An import of node:http reads all of its exports: one of them loads Node's own undici, which takes
 * 30 ms.
 */
const lazyHttp: Plugin = {
  name: 'lazy-http',
  enforce: 'pre',
  resolveId: (id) =>
    /^(?:node:)?https?$/.test(id) ? `${BUILTIN}${id.replace('node:', '')}` : undefined,
  load: (id) =>
    id.startsWith(BUILTIN)
      ? `module.exports = process.getBuiltinModule('node:${id.slice(BUILTIN.length)}');`
      : undefined,
};
