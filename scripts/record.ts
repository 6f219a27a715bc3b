// Records the session of docs/images/terminal.svg: typed by a user, on a playground. `npm run
// generate` draws the picture.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPlayground } from '../src/playground/playground.ts';
import { type CastEvent, castText } from './terminal/cast.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const columns = 100;
const rows = 30;

/** How long a reader needs between two commands. */
const PAUSE_SECONDS = 1.5;

const scenes: readonly (readonly [name: string, ...commands: string[]])[] = [
  [
    'A pool, dealt out to its workers',
    'kubectl apply -k samples/tv',
    'kubectl wait --for=condition=Converged swarmpool/tv',
    'kubectl get swarmpools',
    'swarmctl status tv',
  ],
  ['What would five workers change?', 'swarmctl plan tv --workers 5'],
  [
    'Then five they are',
    'kubectl scale statefulset/swarm-worker --replicas=5',
    "kubectl wait swarmpool/tv --for=jsonpath='{.status.convergedReplicas}'=5",
    'swarmctl status tv',
  ],
  [
    'Why is a stream where it is?',
    'swarmctl explain tv stream:foo:new',
    'swarmctl logs tv stream:foo:new',
    'swarmctl history tv',
  ],
];

const playground = await startPlayground();
try {
  await playground.kubectl('apply', '-k', root);
  await playground.kubectl(
    '-n',
    'swarm-operator',
    'rollout',
    'status',
    'deployment/swarm-operator',
  );
  await playground.kubectl('config', 'set-context', '--current', '--namespace=swarm');
  const { kubeconfig, binaries } = playground.plane;
  const programs = [
    path.join(root, 'bin'),
    path.dirname(binaries.kubectl),
    path.dirname(process.execPath),
    process.env['PATH'],
  ];
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    PATH: programs.join(path.delimiter),
    TERM: 'xterm-256color',
  };
  const cast = {
    columns,
    rows,
    title: 'A session with kubectl and swarmctl',
    events: await record(env),
  };
  writeFileSync(`${root}docs/images/terminal.cast`, castText(cast));
} finally {
  await playground.stop();
}

async function record(env: NodeJS.ProcessEnv): Promise<readonly CastEvent[]> {
  const events: CastEvent[] = [];
  let now = 0;
  const add = (seconds: number, kind: 'o' | 'm', text: string): void => {
    now += seconds;
    events.push([Math.round(now * 100) / 100, kind, text]);
  };
  for (const [name, ...commands] of scenes) {
    add(0, 'm', name);
    for (const command of commands) {
      add(0, 'o', `\u001b[1;36m$ ${command}\u001b[0m\r\n`);
      const start = performance.now();
      const text = await typed(command, env);
      add((performance.now() - start) / 1000, 'o', text);
      now += PAUSE_SECONDS;
    }
  }
  return events;
}

/** On a terminal, which `script` creates: without one there are no colours. */
async function typed(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(
    'script',
    ['-qfec', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'],
    {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (data) => (text += String(data)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${text}`);
  return text;
}
