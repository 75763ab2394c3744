// A command's end of the control socket: whether a service answers there, and its calls.

import { connect, type Socket } from 'node:net';
import { errorCode } from '../errno.ts';
import { isObject, parseJson } from '../json.ts';
import { type Call, type Chunks, type Operator, operatorBy } from './calls.ts';
import { CallFailed, type Frame, framesIn, jsonFrame, readError, readGreeting, socketOf } from './wire.ts';

/** Somebody holds the home, and no call can be made; the message says what to do. */
export class ServiceUnreachable extends Error {
  override name = 'ServiceUnreachable';
}

type Wish = {
  readonly home: string;
  /** Of this program. */
  readonly version: string;
  /** A service that answers its customers greets within milliseconds. */
  readonly patienceMs?: number;
  readonly platform?: NodeJS.Platform;
};

/** The frames that follow a greeting, and the connection that they come from. */
type Greeted = { readonly socket: Socket; readonly frames: AsyncGenerator<Frame> };

const longestFrameBytes = 2 ** 32;
const usualPatienceMs = 10_000;

/** The service of a home, which somebody holds; `absent` where nobody listens, as before a service is ready. */
export async function findService(wish: Wish): Promise<Operator | 'absent'> {
  const greeted = await greetedBy(wish);
  if (greeted === 'absent') return 'absent';
  greeted.socket.destroy();
  return operatorBy({ ask: (call) => ask(wish, call), take: (call) => take(wish, call) });
}

async function ask(wish: Wish, call: Call): Promise<unknown> {
  const { socket, frames } = await begin(wish, call);
  try {
    const frame = await nextFrame(frames);
    if (frame.kind === 'error') throw readError(frame);
    const told = frame.kind === 'value' ? parseJson(frame.content.toString()) : undefined;
    if (!isObject(told)) throw new CallFailed('The service told chunks where a value was expected.');
    return told.value;
  } finally {
    socket.destroy();
  }
}

async function* take(wish: Wish, call: Call): Chunks {
  const { socket, frames } = await begin(wish, call);
  try {
    for (;;) {
      const frame = await nextFrame(frames);
      if (frame.kind === 'error') throw readError(frame);
      if (frame.kind === 'end') return;
      if (frame.kind !== 'chunk')
        throw new CallFailed('The service told a value where chunks were expected.');
      yield frame.content;
    }
  } finally {
    socket.destroy();
  }
}

async function begin(wish: Wish, call: Call): Promise<Greeted> {
  const greeted = await greetedBy(wish);
  if (greeted === 'absent')
    throw new ServiceUnreachable('The service has just stopped; type the command again.');
  greeted.socket.write(jsonFrame('call', call));
  return greeted;
}

/** Without its end nothing is known to be whole. */
async function nextFrame(frames: AsyncGenerator<Frame>): Promise<Frame> {
  try {
    const { value, done } = await frames.next();
    if (done !== true) return value;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
  throw new ServiceUnreachable(
    'The service ended while it worked on this. Look whether it was done, and type the command again if not.',
  );
}

async function greetedBy(wish: Wish): Promise<Greeted | 'absent'> {
  const { home, version, patienceMs = usualPatienceMs, platform } = wish;
  const place = socketOf(home, platform);
  if (place.kind === 'none') throw new ServiceUnreachable(`A service runs on ${home}, and ${place.why}.`);
  const socket = connect(place.file);
  const frames = framesIn(socket, longestFrameBytes);
  const silence = setTimeout(() => socket.destroy(hangs(home, patienceMs)), patienceMs);
  try {
    const { value, done } = await frames.next();
    const theirs = done === true ? undefined : readGreeting(value);
    // It was about to end.
    if (theirs === undefined) return abandon(socket);
    if (theirs === version) return { socket, frames };
    socket.destroy();
    throw new ServiceUnreachable(
      `The service on ${home} is Domesday ${theirs}, and this command is ${version}; restart the service, so that both are the same.`,
    );
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EACCES' || code === 'EPERM')
      throw new ServiceUnreachable(
        `The service on ${home} belongs to another user; run the command as that user.`,
      );
    if (code === undefined) throw error;
    return abandon(socket);
  } finally {
    clearTimeout(silence);
  }
}

function abandon(socket: Socket): 'absent' {
  socket.destroy();
  return 'absent';
}

const hangs = (home: string, patienceMs: number) =>
  new ServiceUnreachable(
    `The service on ${home} runs and has not answered for ${patienceMs / 1_000} s, so it hangs or is stopped; its log may say why. Kill it and start it again.`,
  );
