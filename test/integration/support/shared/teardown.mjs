// After the last integration test: the control planes end.
export default () => globalThis.swarmTestPlanes.stop();
