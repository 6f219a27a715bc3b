// A local Kubernetes for as long as it is wanted: `npm run playground`, then kubectl with the kubeconfig that it prints.
import { parseArgs } from 'node:util';
import { startPlayground } from '../playground/playground.ts';

const usage = 'usage: npm run playground [-- --nodes N]   (1 to 9 nodes; Ctrl-C ends it and leaves nothing)';

function nodesWanted(): number | undefined {
  try {
    const { values } = parseArgs({ options: { nodes: { type: 'string', default: '1' }, help: { type: 'boolean', short: 'h' } } });
    return values.help !== true && /^[1-9]$/.test(values.nodes) ? Number(values.nodes) : undefined;
  } catch {
    return undefined;
  }
}

const nodes = nodesWanted();
if (nodes === undefined) {
  console.error(usage);
  process.exitCode = 2;
} else {
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.resolve());
  const playground = await startPlayground({ nodes });
  console.log(`export KUBECONFIG=${playground.plane.kubeconfig}`);
  console.log(`alias kubectl=${playground.plane.binaries.kubectl}   # if you have none`);
  console.log('kubectl get nodes; npm start -- --register-crds true   # the operator of this checkout, in another terminal');
  await stopped.promise;
  await playground.stop();
}
