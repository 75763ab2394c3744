// The service's end of the control socket. Whoever can reach the socket may do everything: it lies in the home, which is its
// owner's alone, and so is the socket itself.

import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../errno.ts';
import { isObject, parseJson } from '../json.ts';
import { type Call, chunksIn, isStream, NoSuchCall, perform, type Rooms } from './calls.ts';
import { errorFrame, frameOf, framesIn, jsonFrame, socketOf } from './wire.ts';

const requestBytesMost = 2 ** 20;

type Control = {
  readonly home: string;
  readonly version: string;
  readonly rooms: Rooms;
  readonly warn: (message: string) => void;
  /** Hears faults of the program, in calls that commands were told have failed. */
  readonly report: (message: string, fault: unknown) => void;
};

/** Only for whoever holds the lock of the home: a socket that is there then was left by somebody who is gone. Returns what ends it,
 *  once the calls in progress are answered; a copy that is read is cut off. */
export async function serveControl(control: Control): Promise<() => Promise<void>> {
  const place = socketOf(control.home);
  if (place.kind === 'none') {
    control.warn(place.why);
    return async () => {};
  }
  /** Those that no change waits for: nothing is asked yet, or a copy is read. */
  const cuttable = new Set<Socket>();
  const server = createServer((socket) => {
    cuttable.add(socket);
    socket.once('close', () => cuttable.delete(socket));
    const answers = Readable.from(answer(socket, control, cuttable), { highWaterMark: 1 });
    // Whoever hangs up does not want to know; what was begun is done.
    pipeline(answers, socket).catch(() => socket.destroy());
  });
  rmSync(place.file, { force: true });
  await listen(server, place.file);
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    for (const socket of cuttable) socket.destroy();
    await promise;
  };
}

async function listen(server: Server, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve);
  server.once('error', reject);
  // The socket is made before `listen` returns.
  const before = process.umask(0o077);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
  await promise;
}

async function* answer(
  socket: Socket,
  { version, rooms, report }: Control,
  cuttable: Set<Socket>,
): AsyncGenerator<Buffer> {
  yield jsonFrame('greeting', { domesday: version });
  const call = await requestOf(socket);
  if (call === undefined) return;
  cuttable.delete(socket);
  try {
    const told = await perform(rooms, call);
    if (!isStream(told)) {
      yield jsonFrame('value', { value: told });
      return;
    }
    cuttable.add(socket);
    for await (const chunk of chunksIn(told)) yield frameOf('chunk', chunk);
    yield frameOf('end', '');
  } catch (error) {
    // Whoever asked is gone.
    if (socket.destroyed && errorCode(error) !== undefined) return;
    const known = errorFrame(error);
    if (known === undefined && !(error instanceof NoSuchCall))
      report(`a command's call ${call.room}.${call.name} failed`, error);
    yield known ??
      jsonFrame('error', { name: 'CallFailed', message: 'The service failed; its log says why.' });
  }
}

/** Undefined where whoever connected asks nothing, as one who only looks whether somebody is there. */
async function requestOf(socket: Socket): Promise<Call | undefined> {
  try {
    for await (const frame of framesIn(socket.iterator({ destroyOnReturn: false }), requestBytesMost)) {
      const told = frame.kind === 'call' ? parseJson(frame.content.toString()) : undefined;
      if (!isObject(told)) return undefined;
      const { room, name, args } = told;
      if (typeof room !== 'string' || typeof name !== 'string' || !Array.isArray(args)) return undefined;
      return { room, name, args };
    }
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof RangeError)) throw error;
  }
  return undefined;
}
