// The process of `domesday`: runs one command with this process's environment and streams.

import { run } from './run.ts';

// `domesday accounts list | head` closes the pipe early; that is no failure. The service writes in its own way, which
// no error ends (serve/log.ts).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(
    `Cannot write standard output (${error.code}), so what was printed is not complete.\n`,
  );
  process.exit(1);
});
// Nobody is left who could be told.
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  now: Date.now,
  folder: process.cwd(),
});
