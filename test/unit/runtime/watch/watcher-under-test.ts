// A watcher under test: on a real connection to a server that misbehaves, with delays that are
// twenty times as short.
import { kinds } from '../../../../src/api/kinds.ts';
import { keyOf } from '../../../../src/api/objects.ts';
import type { Change } from '../../../../src/runtime/client/api.ts';
import { KubeClient } from '../../../../src/runtime/client/client.ts';
import type { PooledKubeConfig } from '../../../../src/runtime/client/config.ts';
import type { KubeError } from '../../../../src/runtime/client/errors.ts';
import { type Clock, systemClock } from '../../../../src/runtime/clock.ts';
import { Watcher, type WatcherOptions } from '../../../../src/runtime/watch/watcher.ts';
import { MisbehavingServer, type ServerOptions } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';

export const kind = kinds.ConfigMap;

const HASTE = 20;
const hasty: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / HASTE, run) };

/** By this clock a watch that was ended at once was short, however slow the machine. */
export const standing: Clock = { ...hasty, monotonic: () => 0 };

export type Watching = {
  readonly server: MisbehavingServer;
  readonly watcher: Watcher;
  readonly config: PooledKubeConfig;
  /** "ADDED ns/a 12", in the order of reports. */
  readonly reports: string[];
  readonly changes: Change[];
  readonly troubles: { readonly error: KubeError; readonly retryInMs: number }[];
  readonly put: (name: string, fields?: Readonly<Record<string, unknown>>) => string;
  readonly remove: (name: string) => void;
  /** What was reported and is not deleted: name and version. */
  readonly present: () => Readonly<Record<string, string>>;
  readonly isUpToDate: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function watching(
  options: Partial<WatcherOptions> = {},
  serverOptions: ServerOptions = {},
): Promise<Watching> {
  const server = await MisbehavingServer.start([kind], serverOptions);
  const config = server.config();
  const reports: string[] = [];
  const changes: Change[] = [];
  const troubles: { error: KubeError; retryInMs: number }[] = [];
  const present: Record<string, string> = {};
  const stopping = new AbortController();
  const watcher = new Watcher(
    new KubeClient(config),
    { kind },
    // A watch ends when the test says so.
    {
      clock: hasty,
      random: () => 0.5,
      watchSeconds: 600,
      onTrouble: (error, retryInMs) => troubles.push({ error, retryInMs }),
      ...options,
    },
    (change) => {
      const { metadata } = change.object;
      const version = metadata.resourceVersion ?? '';
      changes.push(change);
      reports.push(`${change.type} ${keyOf(metadata)} ${version}`);
      if (change.type === 'DELETED') delete present[metadata.name];
      else present[metadata.name] = version;
    },
  );
  const running = { done: Promise.resolve() };
  const start = (): void => {
    running.done = watcher.run(stopping.signal);
  };
  const inStore = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      server.store
        .all({ kind })
        .map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? '']),
    );
  setImmediate(start);
  return {
    server,
    watcher,
    config,
    reports,
    changes,
    troubles,
    put: (name, fields) =>
      server.store.put(kind, { namespace: 'n', name }, fields).metadata.resourceVersion ?? '',
    remove: (name) => server.store.remove(kind, { namespace: 'n', name }),
    present: () => present,
    isUpToDate: () =>
      eventually('the reported state is the state of the server', () => isSame(present, inStore())),
    stop: async () => {
      stopping.abort();
      await running.done;
      await config.closeConnections();
      await server.close();
    },
  };
}

const isSame = (
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.keys(a).every((name) => a[name] === b[name]);
