// A source similar to RTSP: it answers `PLAY name` by `200 OK` and frames, each with a length of four
// bytes and that many bytes.
import { createServer } from 'node:net';

const frameMs = 100;
const readers = new Map(); // camera -> connections; a pool must prevent a second reader

createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (request) => {
    const camera = /^PLAY (.+)\r\n$/.exec(request.toString())?.[1];
    if (camera === undefined) {
      socket.end('400 Bad Request\r\n');
      return;
    }
    const before = readers.get(camera) ?? 0;
    readers.set(camera, before + 1);
    console.log(`${JSON.stringify(camera)} is read by ${before + 1}`);
    socket.write('200 OK\r\n');
    let count = 0;
    const frames = setInterval(() => socket.write(frame(`${camera} frame ${++count}`)), frameMs);
    socket.on('close', () => {
      clearInterval(frames);
      readers.set(camera, readers.get(camera) - 1);
    });
  });
}).listen(8554, process.env.POD_IP);

process.on('SIGTERM', () => process.exit(0));

function frame(text) {
  const payload = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}
