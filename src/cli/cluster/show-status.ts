// How is the status of objects of a kind shown: once, or anew with each change?
import type { Kind } from '../../api/kinds.ts';
import type { Values } from '../../flags.ts';
import { systemClock } from '../../runtime/clock.ts';
import {
  allNamespacesFor,
  type Command,
  command,
  exitCodes,
  exitCodesFor,
  flagsFor,
  output,
} from '../arguments/command.ts';
import { print, type Terminal } from '../arguments/terminal.ts';
import { timeoutFlag } from '../arguments/waiting.ts';
import { type Line, type Table, tableLines } from '../render.ts';
import { isWell, type Stated } from '../views/state.ts';
import { lookAtChanges, untilInterrupted } from './changes.ts';
import { type Cluster, withCluster } from './connect.ts';
import { UntilReady } from './until-ready.ts';

const watchFlags = {
  watch: { type: 'switch', short: 'w', help: 'show every change until you press Ctrl-C' },
  untilReady: { type: 'switch', needs: 'watch', help: 'stop when everything is Ready' },
  timeout: {
    ...timeoutFlag('10m', 'for everything to become Ready'),
    needs: 'untilReady',
  },
} as const;

type StatusValues = Values<typeof watchFlags & { readonly output: typeof output }> & {
  readonly all: boolean;
};

/** How objects of a kind are read and drawn. */
type StatusView<It extends Stated> = {
  readonly kind: Kind;
  readonly read: (
    cluster: Cluster,
    name: string | undefined,
    isAll: boolean,
  ) => Promise<readonly It[]>;
  /** One object is shown by itself, several as a list. */
  readonly one: (object: It, width: number, isWide: boolean, now: number) => readonly Line[];
  readonly list: (objects: readonly It[], now: number) => Table;
};

type Shown<It extends Stated> = {
  readonly view: StatusView<It>;
  readonly values: StatusValues;
  readonly name: string | undefined;
};

type Texts = Pick<Command['shape'], 'name' | 'summary' | 'about' | 'examples'> & {
  /** One object of the kind, in a word. */
  readonly what: 'pool' | 'group';
};

export const statusCommand = <It extends Stated>(
  { what, about, ...texts }: Texts,
  view: StatusView<It>,
): Command =>
  command(
    {
      ...texts,
      operands: { usage: `[${what.toUpperCase()}]`, least: 0, most: 1 },
      about: `${about}

${exitCodesFor(what)}
1 means: a ${what} is not Ready. With --watch the command runs until you press Ctrl-C, with --until-ready until every ${what} is Ready; the
exit code reports the last state that was seen. With --until-ready it gives up, with the reason and exit code 1, after --timeout, and at once where a
${what} is paused or Stalled; a ${what} that was named and does not exist ends it with 2.`,
      flags: { ...watchFlags, all: allNamespacesFor(what), output, ...flagsFor(what) },
    },
    ({ values, operands: [name] }, terminal) =>
      withCluster(values, (cluster) => showStatus(cluster, { view, values, name }, terminal)),
  );

/** Returns the exit code of what was so last. */
async function showStatus<It extends Stated>(
  cluster: Cluster,
  shown: Shown<It>,
  terminal: Terminal,
): Promise<number> {
  const { view, values, name } = shown;
  const { watch, untilReady } = values;
  const first = await view.read(cluster, name, values.all);
  const isOnce = !watch || (untilReady && first.every(isWell));
  if (isOnce) show(first, shown, terminal);
  if (isOnce) return first.every(isWell) ? exitCodes.ok : exitCodes.no;
  const { last, givenUp } = await untilInterrupted((ended) =>
    follow(cluster, shown, first, ended, terminal),
  );
  if (givenUp !== undefined) terminal.problem(givenUp);
  return givenUp === undefined && last.every(isWell) ? exitCodes.ok : exitCodes.no;
}

function linesOf<It extends Stated>(
  { view, name }: Shown<It>,
  objects: readonly It[],
  width: number,
  isWide: boolean,
): readonly Line[] {
  const [only] = objects;
  if (only === undefined)
    return [`no ${view.kind.kind} in this namespace; -A shows all namespaces`];
  return name !== undefined
    ? view.one(only, width, isWide, Date.now())
    : tableLines(view.list(objects, Date.now()), width);
}

function show<It extends Stated>(
  objects: readonly It[],
  shown: Shown<It>,
  terminal: Terminal,
): void {
  const all = objects.map(({ meta: { namespace, name }, status }) => ({
    namespace,
    name,
    ...status,
  }));
  const data = shown.name === undefined ? all : all[0];
  print(terminal, shown.values.output, data, (isWide) =>
    linesOf(shown, objects, terminal.width, isWide),
  );
}

type Followed<It> = {
  readonly last: readonly It[];
  /** Why the command no longer waits for what is not Ready. */
  readonly givenUp: string | undefined;
};

/** Until interrupted or, with --until-ready, until all is well or cannot become so. */
async function follow<It extends Stated>(
  cluster: Cluster,
  shown: Shown<It>,
  first: readonly It[],
  ended: AbortController,
  terminal: Terminal,
): Promise<Followed<It>> {
  const { view, values, name } = shown;
  const screen = terminal.screen();
  const isLive = screen.isLive && (values.output === 'text' || values.output === 'wide');
  let last = first;
  let told = '';
  let noted: readonly Line[] = [];
  let givenUp: string | undefined;
  const draw = (): void =>
    screen.draw((width) => [...linesOf(shown, last, width, values.output === 'wide'), ...noted]);
  // A line on standard error would tear a live screen.
  const note = (line: string): void => {
    if (isLive) noted = [[{ text: line, style: 'faint' }]];
    else terminal.note(line);
  };
  const onEnd = (why: string | undefined): void => {
    givenUp = why;
    ended.abort();
  };
  const waiting = values.untilReady
    ? new UntilReady(
        {
          kind: view.kind.kind,
          timeoutMs: values.timeout,
          clock: systemClock,
          note,
        },
        onEnd,
      )
    : undefined;
  const refresh = async (): Promise<void> => {
    last = await view.read(cluster, name, values.all);
    const text = JSON.stringify(
      last.map(({ meta, status }) => [meta.generation, meta.annotations, status]),
    );
    if (isLive) draw();
    else if (text !== told) {
      if (told !== '' && values.output !== 'json') terminal.out('');
      show(last, shown, terminal);
    }
    told = text;
    waiting?.onObjects(last);
  };
  // Ages grow even where nothing changes.
  const ticking = isLive ? setInterval(draw, 1_000) : undefined;
  const target = { kind: view.kind, namespace: values.all ? undefined : cluster.namespace };
  try {
    await lookAtChanges(cluster.api, target, refresh, ended, terminal);
  } finally {
    clearInterval(ticking);
    waiting?.end();
    screen.close();
  }
  return { last, givenUp };
}
