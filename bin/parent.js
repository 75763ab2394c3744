// Ends this process with the one that started it and cannot tell it any more: a launcher or an npm that was killed would
// leave a service behind that nobody knows of. Written so that Node 14 can read it.

import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

const handedOver = 'DOMESDAY_HANDED_OVER';
const lookEveryMs = 500;

/** For the launcher: how the Node that it hands over to is tied to it. */
export const tie = {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { ...process.env, [handedOver]: '1' },
};

/** `stop` is called once, when the launcher or npm is gone; with neither above it, never. */
export function watchParent(folder, stop) {
  if (process.env[handedOver] !== undefined) {
    delete process.env[handedOver];
    process.once('disconnect', stop);
    // Only the end of the channel counts; it keeps nothing alive.
    if (process.channel) process.channel.unref();
    return;
  }
  if (!isStartedByNpm(folder)) return;
  const before = lineToNpm();
  const timer = setInterval(() => {
    if (lineToNpm() === before) return;
    clearInterval(timer);
    stop();
  }, lookEveryMs);
  timer.unref();
}

/** By `npm start` of this package or `npx domesday`, whose npm waits for it. A script of somebody else may start it and go. */
function isStartedByNpm(folder) {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '', npm_package_json: of } = process.env;
  if (event === 'npx') return /^['"]?domesday\b/.test(script);
  return event === 'start' && of !== undefined && path.resolve(path.dirname(of)) === path.resolve(folder);
}

/** The processes from here up to npm. Between them there may be a shell, which npm's death leaves alive. */
function lineToNpm() {
  const parent = process.ppid;
  try {
    if (readlinkSync(`/proc/${parent}/exe`) === process.env.npm_node_execpath) return String(parent);
    const stat = readFileSync(`/proc/${parent}/stat`, 'latin1');
    // The command name (second field) may contain spaces and brackets, so fields are counted from its closing bracket.
    return `${parent} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    // Not Linux, where the shell of npm gives way to the command.
    return String(parent);
  }
}
