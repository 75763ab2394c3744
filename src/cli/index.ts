// The commands, in the order an operator meets them. Each is loaded only when it is called, so that
// `domesday serve` never loads a loader.

import type { Command } from './command.ts';

type Entry = { readonly name: string; readonly summary: string; readonly load: () => Promise<Command> };

export const commands: readonly Entry[] = [
  {
    name: 'serve',
    summary: 'answer requests; makes sample data and a demo account on the first start',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'ingest',
    summary: 'read official files into a new release and make it current',
    load: async () => (await import('./ingest.ts')).ingest,
  },
  {
    name: 'update',
    summary: 'fetch what publishers have changed, and load it as one release',
    load: async () => (await import('./update.ts')).update,
  },
  {
    name: 'releases',
    summary: 'list, switch, clean up, publish and fetch releases',
    load: async () => (await import('./releases.ts')).releases,
  },
  {
    name: 'accounts',
    summary: 'make and change accounts: plans, credits, limits',
    load: async () => (await import('./accounts.ts')).accounts,
  },
  {
    name: 'keys',
    summary: 'make, list, rotate and revoke API keys',
    load: async () => (await import('./keys.ts')).keys,
  },
  {
    name: 'people',
    summary: 'list, invite and erase people; operators, and links that mail would carry',
    load: async () => (await import('./people/people.ts')).people,
  },
  {
    name: 'ledger',
    summary: 'back the ledger up, restore it, and trim old entries',
    load: async () => (await import('./ledger.ts')).ledger,
  },
  {
    name: 'records',
    summary: 'copy the records of people and requests',
    load: async () => (await import('./records/records.ts')).records,
  },
  {
    name: 'lookup',
    summary: 'tell what is known about a postcode, from the local release',
    load: async () => (await import('./lookup.ts')).lookup,
  },
  {
    name: 'check',
    summary: 'examine releases and ledger, and say what to do',
    load: async () => (await import('./check.ts')).check,
  },
];

export function findCommand(name: string): Promise<Command> | undefined {
  return commands.find((entry) => entry.name === name)?.load();
}
