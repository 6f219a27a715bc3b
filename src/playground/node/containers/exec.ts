// A command that runs in a container, for a probe or a hook.
import type { NodeContext } from '../context.ts';
import { type ContainerView, joining } from './launch.ts';
import { PodProcess } from './process.ts';

/** As much output as a kubelet keeps. */
const MOST_OUTPUT = 10_240;

export async function exec(
  view: ContainerView,
  pid: number | undefined,
  command: readonly string[],
  timeoutMs: number,
  context: NodeContext,
): Promise<{ exitCode: number; output: string }> {
  if (pid === undefined) return { exitCode: 1, output: 'the container does not run' };
  let output = '';
  const collect = (_: string, chunk: Buffer): void => {
    if (output.length < MOST_OUTPUT) output += chunk.toString();
  };
  const process = new PodProcess(joining(view, pid, command, context), collect, context.guard);
  let isLate = false;
  const cancel = context.clock.after(timeoutMs, () => {
    isLate = true;
    process.signal('SIGKILL');
  });
  const { exitCode, failure } = await process.ended;
  cancel();
  if (isLate) return { exitCode, output: `command timed out after ${timeoutMs} ms` };
  return { exitCode, output: failure ?? output };
}
