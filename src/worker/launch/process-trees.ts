// Which processes that a stream started are still alive? Sends signals to them, and waits for their
// end.
import { errorCode } from '../../api/text.ts';
import { ProcessFinder, type ProcessTree, type TreeProcess } from './find-processes.ts';

type ProcessTrees = {
  readonly signal: (tree: ProcessTree, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** Called when the first process of the tree has ended; resolves when all have ended. */
  readonly ended: (tree: ProcessTree) => Promise<void>;
  /** All signals are sent when it returns. */
  readonly killNow: (trees: readonly ProcessTree[]) => void;
};

/** `pid`: a negative number is a process group. */
type Signalled = { readonly pid: number };
type ByTree = ReadonlyMap<ProcessTree, readonly Signalled[]>;

const firstCheckMs = 10;
const slowestCheckMs = 200;

/** /proc is read once for all trees, since a thousand streams may stop together. */
export function createProcessTrees(): ProcessTrees {
  const finder = new ProcessFinder();
  const ending = new Map<ProcessTree, () => void>();
  const toSignal = new Map<ProcessTree, 'SIGTERM' | 'SIGKILL'>();
  const killed = new WeakSet<ProcessTree>();
  let timer: NodeJS.Timeout | undefined;

  /** The processes that have left the group of their tree. */
  const outsideGroup = (trees: readonly ProcessTree[]): ByTree =>
    byTree(
      trees,
      finder.processesOf(trees)?.filter(({ tree, group }) => group !== tree.group),
    );

  function signalOutsideGroup(): void {
    const outside = outsideGroup([...toSignal.keys()]);
    for (const [tree, signal] of toSignal) signalAll(outside.get(tree) ?? [], signal);
    toSignal.clear();
  }

  function checkIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const trees = [...ending.keys()];
      const alive = byTree(trees, finder.processesOf(trees));
      for (const [tree, resolve] of ending) {
        const left = alive.get(tree);
        // A process that was started while the others were killed has not got the signal.
        if (killed.has(tree)) signalAll(left ?? [], 'SIGKILL');
        if (left !== undefined || finder.isUnsure) continue;
        ending.delete(tree);
        resolve();
      }
      if (ending.size > 0) checkIn(Math.min(Math.max(ms, firstCheckMs / 2) * 2, slowestCheckMs));
    }, ms);
  }

  return {
    signal: (tree, signal) => {
      signalAll([{ pid: -tree.group }], signal);
      if (signal === 'SIGKILL') killed.add(tree);
      if (toSignal.size === 0) setImmediate(signalOutsideGroup);
      toSignal.set(tree, signal);
    },
    ended: (tree) =>
      new Promise((resolve) => {
        ending.set(tree, resolve);
        checkIn(0);
      }),
    killNow: (trees) => {
      for (const { group } of trees) signalAll([{ pid: -group }], 'SIGKILL');
      for (const left of outsideGroup(trees).values()) signalAll(left, 'SIGKILL');
    },
  };
}

/** Without /proc, only the group is known: it is alive as long as it accepts signals. */
const byTree = (
  trees: readonly ProcessTree[],
  found: readonly TreeProcess[] | undefined,
): ByTree =>
  found === undefined
    ? new Map(trees.filter(({ group }) => isGroupAlive(group)).map((tree) => [tree, []]))
    : Map.groupBy(found, ({ tree }) => tree);

function signalAll(signalled: readonly Signalled[], signal: NodeJS.Signals): void {
  for (const { pid } of signalled) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended, or belongs to another user (a command may be setuid): the next read
      // shows which.
    }
  }
}

function isGroupAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
