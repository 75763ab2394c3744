// `domesday update` as a process that gets a signal at a chosen step: node update-process.ts HOME FROM SOURCES [STEP SIGNAL]. A step
// is what the process is about to do to the disk, such as "renameSync releases/current". Without one it lists them all.

import { signalAtStep } from '../signal-at-step.ts';

const [home = '', from = '', names = '', signalAt, signal = ''] = process.argv.slice(2);
const steps = signalAtStep(home, signalAt, signal);

// What is imported from here on sees the file system as it is above.
const { runUpdateIn } = await import('./desk.ts');
const ended = await runUpdateIn(home, from, names.split(','));
process.stdout.write(JSON.stringify({ ...ended, steps: [...steps] }));
