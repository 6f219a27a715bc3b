// Does the operator pass what a platform team would try before it installs it? On real nodes, one
// story after the other on one cluster.
import { afterAll, beforeAll, describe } from '@jest/globals';
import { printFigures } from './figures.ts';
import { cameras } from './stories/cameras.ts';
import { cron } from './stories/cron.ts';
import { drain } from './stories/drain.ts';
import { dump } from './stories/dumps.ts';
import { edits } from './stories/edits.ts';
import { etcd } from './stories/etcd.ts';
import { flux } from './stories/flux.ts';
import { gangFaults } from './stories/gang-faults.ts';
import { gangs } from './stories/gangs.ts';
import { groups } from './stories/groups.ts';
import { handoffs } from './stories/handoffs.ts';
import { install } from './stories/install.ts';
import { latencies } from './stories/latencies.ts';
import { migrate } from './stories/migrate.ts';
import { mpi } from './stories/mpi.ts';
import { operators } from './stories/operators.ts';
import { page } from './stories/page.ts';
import { rights } from './stories/rights.ts';
import { tv } from './stories/tv.ts';
import { uninstall } from './stories/uninstall.ts';
import { World } from './world.ts';

let world: World;
const get = (): World => world;
const reading = cameras(get);
const reporting = cron(get);

beforeAll(async () => {
  world = await World.start(2);
});

afterAll(async () => {
  printFigures();
  await world?.stop();
});

describe('installed by kubectl apply -k envs/dev', () => install(get));
// What they wait for takes minutes: other stories go on meanwhile.
describe('cameras that ffmpeg reads', reading.begin);
describe('a CronJob of labelled Jobs', reporting.begin);
describe('samples/etcd', () => etcd(get));
describe('gangs', () => gangs(get));
describe('programs for MPI', () => mpi(get));
describe('faults of gangs', () => gangFaults(get));
describe('brokers of Flux', () => flux(get));
describe('samples/tv', () => tv(get));
describe('the page', () => page(get));
describe('the CronJob meanwhile', reporting.end);
describe('consumers that chose their streams themselves come under a pool', () => migrate(get));
describe('each handoff and refresh, with a record of every process', () => handoffs(get));
describe('a group of services', () => groups(get));
describe('the cameras meanwhile', reading.end);
describe('a night of dumps', () => dump(get));
describe('a pool whose workers change while it is edited', () => edits(get));
describe('how long changes take', () => latencies(get));
describe('a node is drained', () => drain(get));
// Before the API server is restarted: until it has read its roles again it refuses all requests.
describe('the operator’s permissions', () => rights(get));
describe('operators come and go', () => operators(get));
describe('uninstalled', () => uninstall(get));
