// Does the page show the truth, and is it accessible? In a real Chromium, with a real operator.
import { afterAll, beforeAll, describe } from '@jest/globals';
import { Scene } from './scene.ts';
import { brokenConnection } from './stories/connection.ts';
import { down } from './stories/down.ts';
import { empty } from './stories/empty.ts';
import { failing } from './stories/failing.ts';
import { groups } from './stories/groups.ts';
import { handoff } from './stories/handoff.ts';
import { pools } from './stories/pools.ts';
import { queues } from './stories/queues.ts';
import { ranks } from './stories/ranks.ts';
import { sizes } from './stories/sizes.ts';
import { travel } from './stories/travel.ts';
import { trouble } from './stories/trouble.ts';
import { use } from './stories/use.ts';

let scene: Scene | undefined;

beforeAll(async () => {
  scene = await Scene.start();
});

afterAll(() => scene?.stop());

const get = (): Scene => {
  if (scene === undefined) throw new Error('there is no scene');
  return scene;
};

// Each begins with the pool as the one before left it.
describe('without a pool', () => empty(get));
describe('all pools', () => pools(get));
describe('a pool with', () => sizes(get));
describe('a pool that is scaled', () => travel(get));
describe('a user of the page', () => use(get));
describe('trouble', () => trouble(get));
describe('a handoff', () => handoff(get));
describe('streams that fail', () => failing(get));
describe('workers that are down', () => down(get));
describe('groups', () => groups(get));
describe('queues', () => queues(get));
describe('the ranks of jobs', () => ranks(get));
describe('a connection that breaks', () => brokenConnection(get));
