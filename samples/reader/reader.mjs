// Reads the frames of one camera, and prints every second how many it has read. Usage:
// node reader.mjs CAMERA HOST PORT
import { connect } from 'node:net';

const [camera, host, port] = process.argv.slice(2);
const status = '200 OK\r\n';
let received = Buffer.alloc(0);
let isPlaying = false;
let frames = 0;

const socket = connect(Number(port), host, () => socket.write(`PLAY ${camera}\r\n`));
socket.setTimeout(5_000, () => end('silent for 5 s'));
socket.on('error', ({ message }) => end(message));
socket.on('close', () => end('the source has closed'));
socket.on('data', (chunk) => {
  received = Buffer.concat([received, chunk]);
  if (!isPlaying && received.length >= status.length) {
    if (received.subarray(0, status.length).toString() !== status) end(`refused: ${received.toString().trim()}`);
    isPlaying = true;
    received = received.subarray(status.length);
  }
  for (; isPlaying && received.length >= 4 && received.length >= 4 + received.readUInt32BE(0); frames += 1) {
    received = received.subarray(4 + received.readUInt32BE(0));
  }
});
setInterval(() => {
  console.log(`${frames} frames`);
  frames = 0;
}, 1_000);

process.on('SIGTERM', () => process.exit(0));

/** The worker starts it again, after a pause. */
function end(why) {
  console.error(why);
  process.exit(1);
}
