// Guide: where the documents are that are not for callers, so that the search leads whoever looks for them on.

import { type Guide, heading, terms, text } from '../blocks.ts';

export const operators: Guide = {
  name: 'operators',
  title: 'For whoever runs the service',
  summary: 'Where to read about people, passwords, operators, the dashboard, settings and data.',
  blocks: () => [
    text(
      'These pages are for callers of the API. Whoever runs the service finds the rest in the folder `docs` of the program:',
    ),
    terms(
      ['`people.md`', 'people: sign-up, passwords, the second factor, sessions, invitations and e-mail'],
      ['`dashboard.md`', 'the [dashboard](/account) of customers, and the [pages of operators](/admin)'],
      ['`explore.md`', 'the [explorer](/explore), and who pays for its calls'],
      ['`self-hosting.md`', 'a service for others: TLS, proxies, containers, backups'],
      ['`settings.md`, `cli.md`', 'every setting, every command'],
      ['`national-data.md`', 'the data of the whole country, and what no open data has'],
      ['`observability.md`', 'metrics, logs, traces and alerts'],
    ),
    heading('Passwords'),
    text(
      'If you forget your password, ask for a new one where you [sign in](/account/sign-in). If the service sends no e-mail, whoever runs it prints the link on its machine with `npx domesday people link ADDRESS`. The same command prints the link that confirms an address.',
    ),
    heading('Operators'),
    text(
      'An operator sees every account, gives credits and approves plans. Whoever has the machine makes one with `npx domesday people operator ADDRESS`.',
    ),
  ],
};
