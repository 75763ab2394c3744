// What the council tax endpoints share: amounts as they stand on the wire, and the year that answers a question.

import { flag } from '../../contract/params.ts';
import { refuse } from '../../contract/refusal.ts';
import { list, nullable, number, object, string } from '../../contract/shape.ts';
import type { Authority } from '../../tables/council-tax/authorities.ts';
import type { CouncilTax, CouncilTaxRow } from '../../tables/council-tax/council-tax.ts';
import { formatTaxYear, taxYearOn } from '../../uk/tax-year.ts';

export const averageNote =
  'Amounts are averages for the area, for a home with two adults. They include every precept (county, police, fire, combined authority) and the average parish, so the bill differs in a parish that charges more or less. Scottish amounts exclude water and sewerage. If a government publishes only band D, the other bands follow from it by the ratios in law, rounded to the penny.';

export const taxYearText = 'Tax year, from 1 April to 31 March.';

const pounds = number({ description: 'Pounds a year.' });

const bandsAToH = {
  band_a: pounds,
  band_b: pounds,
  band_c: pounds,
  band_d: pounds,
  band_e: pounds,
  band_f: pounds,
  band_g: pounds,
  band_h: pounds,
};

const note = { description: 'Council tax of each band, in pounds a year.' };
export const bandAmounts = object('BandAmounts', bandsAToH, note);
export const bandAmountsWithI = object(
  'BandAmountsWithI',
  { ...bandsAToH, band_i: nullable(number({ description: 'Pounds a year. Null outside Wales.' })) },
  note,
);

export const allYears = flag({
  description: '`true` adds `years`: the amounts of every loaded tax year.',
});

export const taxYears = list(
  object(
    'CouncilTaxYear',
    {
      taxYear: string({ description: taxYearText }),
      councilTaxBands: bandAmountsWithI,
    },
    { description: 'Council tax of one tax year.' },
  ),
  { description: 'Every loaded tax year, newest first. Present with `allYears=true`.' },
);

export const describeYears = (table: CouncilTax, { code }: Authority) => ({
  years: table.yearsOf(code).flatMap((year) => {
    const row = table.find(code, year);
    return row === undefined ? [] : [{ taxYear: formatTaxYear(year), councilTaxBands: amountsOf(row) }];
  }),
});

export function amountsOf({ pence }: CouncilTaxRow) {
  const amount = (index: number) => {
    const found = pence[index];
    if (found === undefined) throw new RangeError('A row of the council tax table lacks a band.');
    return found / 100;
  };
  return {
    band_a: amount(0),
    band_b: amount(1),
    band_c: amount(2),
    band_d: amount(3),
    band_e: amount(4),
    band_f: amount(5),
    band_g: amount(6),
    band_h: amount(7),
    band_i: pence[8] === undefined ? null : pence[8] / 100,
  };
}

/** The year asked for; without one the year of today, or the newest before it that is loaded. */
export function findYear(
  table: CouncilTax,
  { code, fullName: name }: Authority,
  asked: number | undefined,
  today: number,
): CouncilTaxRow | ReturnType<typeof refuse<'COUNCIL_TAX_NOT_FOUND'>> {
  const row = asked === undefined ? table.findActive(code, taxYearOn(today)) : table.find(code, asked);
  if (row !== undefined) return row;
  const availableYears = table.yearsOf(code).map(formatTaxYear);
  if (availableYears.length === 0) {
    return refuse(
      'COUNCIL_TAX_NOT_FOUND',
      `This service has no council tax figures for ${name}; see the website of the council.`,
      {
        availableYears,
      },
    );
  }
  const message =
    asked === undefined
      ? `No council tax figures are loaded for ${name} up to today; send \`taxYear\` as one of \`availableYears\`.`
      : `No council tax figures are loaded for ${name} in ${formatTaxYear(asked)}; try one of \`availableYears\`.`;
  return refuse('COUNCIL_TAX_NOT_FOUND', message, { availableYears });
}
