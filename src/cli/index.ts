// The commands, in the order an operator meets them. Each is loaded only when it is called, so that
// `domesday serve` never loads a loader.

import type { Command } from './command.ts';

type Entry = { readonly name: string; readonly summary: string; readonly load: () => Promise<Command> };

export const commands: readonly Entry[] = [
  {
    name: 'serve',
    summary: 'start the service; the first start makes sample data and a demo account',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'ingest',
    summary: 'load official files into a new release and make it current',
    load: async () => (await import('./ingest.ts')).ingest,
  },
  {
    name: 'update',
    summary: 'fetch new data from the publishers and load it as one release',
    load: async () => (await import('./update.ts')).update,
  },
  {
    name: 'releases',
    summary: 'list, switch, clean up, publish and fetch releases',
    load: async () => (await import('./releases.ts')).releases,
  },
  {
    name: 'accounts',
    summary: 'create and change accounts: plans, credits, limits',
    load: async () => (await import('./accounts.ts')).accounts,
  },
  {
    name: 'keys',
    summary: 'create, list, rotate and revoke API keys',
    load: async () => (await import('./keys.ts')).keys,
  },
  {
    name: 'plans',
    summary: 'show the plans, and set what they cost',
    load: async () => (await import('./people/plans.ts')).plans,
  },
  {
    name: 'people',
    summary: 'list, invite and erase people, make operators, print links for mails',
    load: async () => (await import('./people/people.ts')).people,
  },
  {
    name: 'backup',
    summary: 'copy accounts, charges and people to a folder, while the service runs',
    load: async () => (await import('./database/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'put a backup back',
    load: async () => (await import('./database/backup.ts')).restore,
  },
  {
    name: 'move',
    summary: 'move everything between a home and a database',
    load: async () => (await import('./database/move.ts')).move,
  },
  {
    name: 'ledger',
    summary: 'trim old entries of the journals',
    load: async () => (await import('./ledger.ts')).ledger,
  },
  {
    name: 'lookup',
    summary: 'show what the loaded data knows about a postcode',
    load: async () => (await import('./lookup.ts')).lookup,
  },
  {
    name: 'check',
    summary: 'check the data and the ledger, and advise what to do',
    load: async () => (await import('./check.ts')).check,
  },
];

export function findCommand(name: string): Promise<Command> | undefined {
  return commands.find((entry) => entry.name === name)?.load();
}
