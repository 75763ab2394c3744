// Publishing or fetching as a process that is killed outright at a chosen step: node killed-process.ts publish|fetch HOME DEPOT
// [STEP]. Without one it lists its steps.

import { signalAtStep } from '../signal-at-step.ts';

const [what = '', home = '', depot = '', killAt] = process.argv.slice(2);
const steps = signalAtStep(what === 'publish' ? depot : home, killAt, 'SIGKILL');

// What is imported from here on sees the file system as it is above.
const { publishToFolder, storeOf, takeFrom } = await import('./desk.ts');
if (what === 'publish') await publishToFolder(depot, storeOf(home).openCurrent());
else await takeFrom(depot, home, { safeEveryBytes: 10_000 });
process.stdout.write(JSON.stringify([...steps]));
