// How is the status of objects shown: once, or anew with each change?
import type { Kind } from '../../api/kinds.ts';
import type { Values } from '../../flags.ts';
import { exitCodes, type output } from '../arguments/command.ts';
import { print, type Terminal } from '../arguments/terminal.ts';
import type { Line } from '../render.ts';
import { isWell, type Stated } from '../views/state.ts';
import { lookAtChanges, untilInterrupted } from './changes.ts';
import type { Cluster } from './connect.ts';

export const watchFlags = {
  watch: { type: 'switch', short: 'w', help: 'anew with each change, until interrupted' },
  untilReady: { type: 'switch', help: 'with --watch: until all is well' },
} as const;

type Shown<It extends Stated> = {
  readonly kind: Kind;
  readonly values: Values<typeof watchFlags & { readonly output: typeof output }> & {
    readonly all: boolean;
  };
  /** One object is shown by itself, several as a list. */
  readonly isOne: boolean;
  readonly read: () => Promise<readonly It[]>;
  readonly lines: (objects: readonly It[], width: number, isWide: boolean) => readonly Line[];
};

/** Returns the exit code of what was so last. */
export async function showStatus<It extends Stated>(
  cluster: Cluster,
  shown: Shown<It>,
  terminal: Terminal,
): Promise<number> {
  const { watch, untilReady } = shown.values;
  const first = await shown.read();
  const isOnce = !watch || (untilReady && first.every(isWell));
  if (isOnce) show(first, shown, terminal);
  const last = isOnce ? first : await follow(cluster, shown, first, terminal);
  return last.every(isWell) ? exitCodes.ok : exitCodes.no;
}

function show<It extends Stated>(
  objects: readonly It[],
  { values, isOne, lines }: Shown<It>,
  terminal: Terminal,
): void {
  const all = objects.map(({ meta: { namespace, name }, status }) => ({
    namespace,
    name,
    ...status,
  }));
  print(terminal, values.output, isOne ? all[0] : all, (isWide) =>
    lines(objects, terminal.width, isWide),
  );
}

/** Until interrupted or, with --until-ready, until all is well. Returns what was seen last. */
async function follow<It extends Stated>(
  cluster: Cluster,
  shown: Shown<It>,
  first: readonly It[],
  terminal: Terminal,
): Promise<readonly It[]> {
  const { kind, values, read, lines } = shown;
  const ended = untilInterrupted();
  const screen = terminal.screen();
  const isLive = screen.isLive && (values.output === 'text' || values.output === 'wide');
  let last = first;
  let told = '';
  const draw = (): void => screen.draw((width) => lines(last, width, values.output === 'wide'));
  const refresh = async (): Promise<void> => {
    last = await read();
    const text = JSON.stringify(
      last.map(({ meta, status }) => [meta.generation, meta.annotations, status]),
    );
    if (isLive) draw();
    else if (text !== told) {
      if (told !== '' && values.output !== 'json') terminal.out('');
      show(last, shown, terminal);
    }
    told = text;
    if (values.untilReady && last.length > 0 && last.every(isWell)) ended.abort();
  };
  // Ages grow even where nothing changes.
  const ticking = isLive ? setInterval(draw, 1_000) : undefined;
  const target = { kind, namespace: values.all ? undefined : cluster.namespace };
  try {
    await lookAtChanges(cluster.api, target, refresh, ended, terminal);
  } finally {
    clearInterval(ticking);
    screen.close();
  }
  return last;
}
