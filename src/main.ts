#!/usr/bin/env node
// The operator: read settings, wire, run, stop on SIGTERM.
import './old-node.ts';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { buildOf, buildText } from './api/build.ts';
import { errorText, orUndefined } from './api/text.ts';
import { makeLog } from './log.ts';
import { LongTexts } from './pool/observe/texts/long-texts.ts';
import { TrustError, trustFrom } from './probes/trust.ts';
import { KubeClient } from './runtime/client/client.ts';
import type { PooledKubeConfig } from './runtime/client/config.ts';
import { KubeConfigError, loadKubeConfig } from './runtime/client/load-config.ts';
import { sleep, systemClock } from './runtime/clock.ts';
import { MetricSourcesError, readSourceSettings } from './runtime/metric-sources/configured.ts';
import { MetricSource } from './runtime/metric-sources/source.ts';
import { StartError } from './runtime/start-error.ts';
import { serveHealth } from './server/health.ts';
import { type AllSnapshots, noSnapshots } from './server/introspection/kinds.ts';
import { serveIntrospection } from './server/introspection/serve.ts';
import { Metrics } from './server/metrics/metrics.ts';
import { serveMetrics } from './server/metrics/serve.ts';
import { readWeb } from './server/web.ts';
import { helpText, parseSettings, type Settings, settingWarnings } from './settings.ts';
import { startOperator } from './wiring.ts';

const crds = new URL('../crds/', import.meta.url);
const web = new URL('../dist/web/', import.meta.url);
const LEASE_REQUEST_MS = 3_000;
/** The context that client-node makes of a pod's service account. */
const IN_CLUSTER = 'inClusterContext';
/**
 * For what is kept of pools; the rest is for the program itself, for a decision under way, and for
 * the garbage collector, which slows down when little is free.
 */
const PART_OF_HEAP = 0.25;
/** For the end of an operator that has failed. */
const LAST_MS = 10_000;

const build = buildOf(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  process.env,
);
const parsed = parseSettings(process.argv.slice(2), process.env);
if (parsed.wants === 'correction') {
  for (const problem of parsed.problems) console.error(`swarm-operator: ${problem}`);
  console.error('see swarm-operator --help');
  process.exitCode = 2;
} else if (parsed.wants === 'help') console.log(helpText());
else if (parsed.wants === 'version') console.log(buildText(build));
else await main(parsed.settings).catch(sayWhyAndEnd);

async function main(settings: Settings): Promise<void> {
  const log = makeLog(settings);
  const stopSignal = Promise.withResolvers<string>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => stopSignal.resolve(signal));
  // The framework's constructor reads this: a wrong KUBECONFIG must not fail a right --kubeconfig.
  if (settings.kubeconfig !== undefined) process.env['KUBECONFIG'] = settings.kubeconfig;
  const source = { file: settings.kubeconfig, context: settings.context };
  const kubeConfig = loadKubeConfig(source);
  const leaseConfig = loadKubeConfig(source, { headersTimeoutMs: LEASE_REQUEST_MS });
  const { server } = kubeConfig.getCurrentCluster() ?? {};
  log.info('starting', { version: buildText(build), server });
  for (const warning of settingWarnings(settings)) log.warn(warning);
  const trust = trustFrom(
    {
      ca: settings.probeCaFile,
      serverName: settings.probeServerName,
      clientCert: settings.probeClientCertFile,
      clientKey: settings.probeClientKeyFile,
      token: settings.probeTokenFile,
    },
    { clock: systemClock, onTrouble: (error) => log.error('probe trust', { error }) },
  );
  const metricSources = metricSourcesFrom(settings, log);
  const metrics = new Metrics(build, systemClock.monotonic);
  const snapshots = noSnapshots();
  const reader = new LongTexts();
  const operator = startOperator({
    settings,
    kubeConfig,
    // A watch of each kind in each namespace: too many to begin each of them every few seconds.
    api: new KubeClient(kubeConfig, {
      observe: metrics.asked,
      probesWatches: settings.namespaces.length > 0,
    }),
    leaseApi: new KubeClient(leaseConfig, {
      requestTimeoutMs: LEASE_REQUEST_MS,
      observe: metrics.asked,
    }),
    clock: systemClock,
    log,
    identity: `${hostname()}-${randomBytes(4).toString('hex')}`,
    ...surroundings(kubeConfig),
    crdFiles: readdirSync(crds).flatMap((file) =>
      file.endsWith('.yaml') ? [fileURLToPath(new URL(file, crds))] : [],
    ),
    observers: [metrics, snapshots],
    meter: metrics,
    memory: PART_OF_HEAP * getHeapStatistics().heap_size_limit,
    reader,
    trust,
    metricSources,
    metricAsked: metrics.metricAsked,
  });
  metrics.view(operator);
  let closeServers = async (): Promise<void> => undefined;
  try {
    closeServers = await serveAll({ ...operator, build, snapshots }, metrics, settings, log);
    const failed = operator.failed.then((error) => Promise.reject(error));
    log.info('stopping', { signal: await Promise.race([stopSignal.promise, failed]) });
  } catch (error) {
    // The Lease is given back: another replica need not wait until it expires.
    await Promise.race([operator.stop(), sleep(systemClock, LAST_MS)]).catch(() => undefined);
    throw error;
  }
  await operator.stop();
  await reader.stop();
  await closeServers();
  await Promise.all([kubeConfig.closeConnections(), leaseConfig.closeConnections()]);
  log.info('stopped', {});
}

function metricSourcesFrom(
  { metricSourcesFile }: Settings,
  log: ReturnType<typeof makeLog>,
): readonly MetricSource[] {
  if (metricSourcesFile === undefined) return [];
  const onTrouble = (error: string): void => void log.error('metric source', { error });
  return readSourceSettings(metricSourcesFile).map(
    (source) => new MetricSource(source, { clock: systemClock, onTrouble }),
  );
}

type View = Parameters<typeof serveHealth>[1] & { readonly snapshots: AllSnapshots };

/** Returns what closes the servers. */
async function serveAll(
  view: View,
  { registry }: Metrics,
  settings: Settings,
  log: ReturnType<typeof makeLog>,
): Promise<() => Promise<void>> {
  const { metricsPort, introspectionPort, introspectionAddress, healthPort, bindAddress } =
    settings;
  const metricsServer = await served(
    'metrics',
    '--metrics-port or --bind-address',
    serveMetrics(metricsPort, registry, systemClock, bindAddress),
  );
  log.info('metrics', { port: metricsServer.port });
  const shown = { ...view, web: readWeb(web) };
  const introspection =
    introspectionPort === 0
      ? undefined
      : await served(
          'introspection',
          '--introspection-port or --introspection-address',
          serveIntrospection(introspectionPort, shown, {}, introspectionAddress),
        );
  if (introspection !== undefined)
    log.info('introspection', { port: introspection.port, page: shown.web !== undefined });
  const health = await served(
    'health',
    '--health-port or --bind-address',
    serveHealth(healthPort, view, bindAddress),
  );
  log.info('health', { port: health.port });
  return async () => {
    await introspection?.close();
    await metricsServer.close();
    await health.close();
  };
}

async function served<T>(what: string, flags: string, serving: Promise<T>): Promise<T> {
  try {
    return await serving;
  } catch (error) {
    const how = `set ${flags}`;
    throw new StartError(`cannot serve ${what}: ${errorText(error)}; ${how}`);
  }
}

/**
 * Code 2: settings are to be corrected, as after wrong flags. The process ends although watches are
 * still open.
 */
function sayWhyAndEnd(error: unknown): never {
  const isCorrection = [KubeConfigError, TrustError, MetricSourcesError].some(
    (kind) => error instanceof kind,
  );
  if (error instanceof Error && (isCorrection || error instanceof StartError))
    console.error(`swarm-operator: ${error.message}`);
  else console.error('swarm-operator: fatal error. This is a bug; please report it:', error);
  process.exit(isCorrection ? 2 : 1);
}

/** A kubeconfig may name another cluster than that of the pod that this process runs in. */
function surroundings(kubeConfig: PooledKubeConfig) {
  const file = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
  const isInCluster = kubeConfig.getCurrentContext() === IN_CLUSTER;
  const ownNamespace = isInCluster
    ? orUndefined(() => readFileSync(file, 'utf8').trim())
    : undefined;
  const outside = `process ${process.pid} on ${hostname()}`;
  const runsAs = ownNamespace === undefined ? outside : `pod ${ownNamespace}/${hostname()}`;
  return { ownNamespace, runsAs };
}
