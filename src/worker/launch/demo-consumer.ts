// The process of a stream when no command was given: it only logs that it runs.

// As text, without types: stripping them would double the memory (8 MB) and the start (30 ms).
const script = `
  const stream = JSON.stringify(process.env.SWARM_STREAM);
  process.on('SIGTERM', () => { console.log('stopped consuming ' + stream); process.exit(0); });
  console.log('consuming ' + stream);
  setInterval(() => console.log('still consuming ' + stream), 60_000);
`;

export const demoCommand: readonly string[] = [process.execPath, '--eval', script];
