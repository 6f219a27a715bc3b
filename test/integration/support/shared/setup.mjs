// Before the first integration test: from here on there are control planes to be had.
import { servePlanes } from './planes.ts';

export default async function setup() {
  globalThis.swarmTestPlanes = await servePlanes();
  process.env.SWARM_TEST_PLANES = globalThis.swarmTestPlanes.url;
}
