// What runs for a stream when no command was given? A small process that does nothing but say so,
// to see the runtime work.

// Handed to node as text: a plain script takes 8 MB of memory and 30 ms to start, one whose types
// are stripped first twice that.
const script = `
  const stream = JSON.stringify(process.env.SWARM_STREAM);
  process.on('SIGTERM', () => { console.log('stopped consuming ' + stream); process.exit(0); });
  console.log('consuming ' + stream);
  setInterval(() => console.log('still consuming ' + stream), 60_000);
`;

export const demoCommand: readonly string[] = [process.execPath, '--eval', script];
