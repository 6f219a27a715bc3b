// The consumer of one camera; it only prints what it would record.
const cam = process.argv[2];
console.log(`recording ${cam}`);
setInterval(() => console.log(`still recording ${cam}`), 60_000);
process.on('SIGTERM', () => process.exit(0));
