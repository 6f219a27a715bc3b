// A playground's node in a separate process, for a test that kills it: prints the pids of its pods
// once they run.
import { setTimeout as delay } from 'node:timers/promises';
import { PlaygroundNode } from '../../../../src/playground/node/node.ts';

const [kubeconfig = '', name = '', client = ''] = process.argv.slice(2);
const node = await PlaygroundNode.start({ kubeconfig, name, client });
while (node.pods.every(({ pids }) => pids.length === 0)) await delay(20);
console.log(JSON.stringify({ dir: node.dir, pids: node.pods.flatMap(({ pids }) => pids) }));
