// Guide: what the licences of the data ask of whoever shows it.

import { type Guide, heading, list, note, table, text } from '../blocks.ts';

export const licences: Guide = {
  name: 'licences',
  title: 'Licences that bind you',
  summary: 'The data is open, but not without conditions. What you must show, and what you must not do.',
  blocks: () => [
    text(
      'The figures belong to their publishers. When you show them to others, their licences bind you too. [Data sources](/docs/data#attribution) has the exact lines for what this service has loaded.',
    ),
    heading('Name your sources'),
    text(
      'Almost everything here is under the Open Government Licence v3.0. You may copy, change and sell it. You must name the source where your readers see the figures, and you must not suggest that the publisher endorses you.',
    ),
    heading('Where more is asked'),
    table(
      ['Data', 'Licence', 'What it asks of you'],
      [
        [
          'Amenities (`/area/places`, `amenities` in `/area/statistics`)',
          'Open Database Licence 1.0',
          'Write “© OpenStreetMap contributors” and name openstreetmap.org/copyright. If you publish a database made from it, put that under the same licence.',
        ],
        [
          'Addresses of sold homes (`/area/sold-prices`)',
          'Open Government Licence, with rights of Royal Mail and Ordnance Survey',
          'Use the addresses only for yourself, or to give information on prices of homes. Not for other lists of addresses.',
        ],
        [
          'Postcodes of Northern Ireland (`BT…`)',
          'Land & Property Services',
          'Use them inside your business only. For anything else ask Land & Property Services for a licence.',
        ],
        [
          'Single homes and their bands (`/council-tax/property-…`)',
          'as each council states',
          'Look at the terms of the council.',
        ],
        [
          'Cycle hire, and stations of the bundled sample',
          'Transport for London',
          'Write “Powered by TfL Open Data”.',
        ],
        ['Bank Rate', 'Bank of England', 'Name the Bank of England as the source.'],
      ],
    ),
    heading('Good habits'),
    list(
      'Put the attribution next to the figures, or one click away from them.',
      'Say how old the data is: `X-Data-As-Of` has its day.',
      'Say when it is a sample. `X-Data-Coverage` tells that.',
      'Do not join crimes or sales to a named person.',
    ),
    note('This page is a summary, and no legal advice. The text of each licence decides.'),
  ],
};
