// Guide: what is known of which nation, and how an answer says what it lacks.

import { type Guide, heading, list, note, table, terms, text } from '../blocks.ts';

const byNation = table(
  ['What', 'England', 'Wales', 'Scotland', 'Northern Ireland'],
  [
    [
      'Council tax of a postcode or authority',
      'yes',
      'yes',
      'yes, without water and sewerage',
      'none: it has domestic rates',
    ],
    [
      'Council tax of one home',
      'where the council’s list is loaded',
      'where the council’s list is loaded',
      'no',
      'no',
    ],
    [
      'Crime',
      'yes; Greater Manchester has published none since July 2019',
      'yes',
      'none published',
      'until July 2023, without outcomes',
    ],
    ['Sold prices', 'since 1995', 'since 1995', 'none published openly', 'none published openly'],
    [
      'People and households',
      'Census 2021',
      'Census 2021',
      'Census 2022, no density',
      'Census 2021, no density',
    ],
    ['Schools', 'with Ofsted’s grades', 'without grades', 'publicly funded, without grades', 'none'],
    [
      'Stations, buses, traffic',
      'yes',
      'yes; some bus operators do not publish',
      'yes; some bus operators do not publish',
      'none',
    ],
    ['Amenities', 'OpenStreetMap', 'OpenStreetMap', 'OpenStreetMap', 'OpenStreetMap'],
    ['Postcodes', 'yes', 'yes', 'yes', 'yes, [under a licence of its own](/docs/guides/licences)'],
    ['Bank Rate', 'yes', 'yes', 'yes', 'yes'],
  ],
);

export const coverage: Guide = {
  name: 'coverage',
  title: 'Coverage by nation',
  summary: 'What the published data covers in England, Wales, Scotland and Northern Ireland.',
  blocks: () => [
    text(
      'The four nations publish different things. This is what there is, once everything is loaded. [Data sources](/docs/data) says what this service has loaded now.',
    ),
    byNation,
    text('The Channel Islands and the Isle of Man have postcodes, but no location, crime or council tax.'),
    heading('Unknown, none and 0', 'unknown'),
    list(
      'A figure that nobody has is `null`. In `/area/statistics`, `basis` says where each figure comes from, and its year.',
      'If nothing at all is known, you get an error with a code of its own, such as `NO_CRIME_DATA` or `PROPERTY_LEVEL_COUNTRY_UNSUPPORTED`.',
      'An empty list, and a total of 0, mean that we looked and there is nothing, unless `X-Data-Coverage` says otherwise. With `none; …` nothing is known of the place. With `sample` or `partial; …` there may be more than is loaded.',
    ),
    text(
      'There is one exception to `null`: if no sale matches, `/area/sold-prices` has 0 for the mean, median, lowest and highest price and for the quartiles. Check `totalResults` first. If it is 0 without `X-Data-Coverage`, none was sold up to `X-Data-As-Of`; with that header, sales are not loaded or not published, and it says why.',
    ),
    heading('What a reply tells of its data', 'headers'),
    terms(
      ['`X-Data-Release`', 'the release of the data that answered'],
      [
        '`X-Data-As-Of`',
        'the newest day of the dataset behind the answer. `/area/statistics` rests on several, and tells the oldest of their days. Amenities, stops, bus routes and incomes that were put together from files of several days are as old as the oldest of those',
      ],
      ['`X-Data-Source`', 'who published it'],
      [
        '`X-Data-Coverage`',
        'what the data lacks: `sample` if only a sample is loaded, `partial; …` with what is missing, `none; …` with why there is nothing. Absent if nothing is missing',
      ],
    ),
    text(
      '`X-Data-As-Of` and `X-Data-Source` are absent if a live service answered, or if the answer is about your account.',
    ),
    note(
      'A fresh installation comes with a **sample**: a few real places, and all of Bank Rate and council tax by authority. Whoever runs the service loads the rest.',
    ),
  ],
};
