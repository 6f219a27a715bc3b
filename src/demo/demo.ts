// npm run demo: streams on workers, on a Kubernetes of this machine, watched while workers come, go
// and are killed.
import { helpText, parseDemo } from './arguments.ts';
import { runDemo } from './main.ts';

const parsed = parseDemo(process.argv.slice(2));
switch (parsed.wants) {
  case 'help':
    console.log(helpText);
    break;
  case 'correction':
    console.error(`demo: ${parsed.problems.join('\n')}\n(see --help)`);
    process.exitCode = 2;
    break;
  case 'run':
    // Sockets and timers that are still open must not keep the process.
    process.exit(await runDemo(parsed.values));
    break;
  default:
    parsed satisfies never;
}
