// Small workbooks in the exact official layouts, quirks included, for a handful of authorities.

import { utils, write } from '@e965/xlsx';

export type Row = readonly (string | number | null)[];

export function book(sheets: Record<string, readonly Row[]>, bookType: 'ods' | 'xlsx' = 'ods'): Buffer {
  const workbook = utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    const sheet = utils.aoa_to_sheet(rows.map((row) => [...row]));
    // Shown with thousands commas, as the official ones are; the value is what counts.
    for (const cell of Object.values(sheet)) {
      if (typeof cell === 'object' && 't' in cell && cell.t === 'n') cell.z = '#,##0.00';
    }
    utils.book_append_sheet(workbook, sheet, name.slice(0, 31));
  }
  return write(workbook, { type: 'buffer', bookType });
}

export const authoritiesCsv = `code,name,nation,category,websiteUrl,mhclgClass,mhclgRegion,mhclgEcode,govukSlug,govukOfficialName,formerCode
E07000223,Adur,England,Non-metropolitan district,,SD,SE,E3831,,Adur District Council,
E08000038,Barnsley,England,Metropolitan district,,MD,YH,E4401,,Barnsley Metropolitan Borough Council,E08000016
E06000063,Cumberland,England,Unitary authority,,UA,NW,E0902,,Cumberland Council,
E09000033,Westminster,England,London borough,,ILB,L,E5022,,City of Westminster,
W06000001,Isle of Anglesey,Wales,Welsh principal area,,,,,,Isle of Anglesey County Council,
W06000016,Rhondda Cynon Taf,Wales,Welsh principal area,,,,,,Rhondda Cynon Taf County Borough Council,
S12000035,Argyll and Bute,Scotland,Scottish council,,,,,,Argyll and Bute Council,
S12000049,Glasgow City,Scotland,Scottish council,,,,,,Glasgow City Council,S12000046
S12000027,Shetland Islands,Scotland,Scottish council,,,,,,Shetland Islands Council,
`;

export const abolishedCsv = `code,name,abolished,successors,mhclgEcode
E07000026,Allerdale,2023-04-01,E06000063,E0931
`;

const area =
  '17. Average (Band D 2 adult equivalent) council tax for area of the billing authority including both local and major precepts.\n   \n(Lines 8+ 16(a) + 16(b) + 16(c) +16(d))';

/** `Table_10_2024-25.ods`: sheet Data_Billing among others, header on row 5. */
export function localAuthorityLevel(
  rows: readonly Row[] = [
    ['E3831', 'E07000223', 'Adur', 'SE', 'SD', null, 344.07, 1633.41, 239.91, 2217.39],
    ['E4401', 'E08000016', 'Barnsley', 'YH', 'MD', '[note c]', 1700.5, 0, 200.25, 1900.75],
    ['E0902', 'E06000063', 'Cumberland ', 'NW', 'UA', null, 1800, 0, 200.005, '2,000.01 [r]'],
    ['E5022', 'E09000033', 'Westminster', 'L', 'ILB', null, 500, 413.785, 0, 913.785],
  ],
): Record<string, readonly Row[]> {
  return {
    Cover: [
      ['Council Tax levels: Local Authority Level data for 2024-25'],
      ['Published by the Ministry of Housing, Communities and Local Government (MHCLG) on 25 April 2024'],
    ],
    Billing_Authorities: [['Select an authority']],
    Data_Billing: [
      ['Table 1: Council Tax Requirement (CTR) data for Billing Authorities in England, 2023-24 and 2024-25'],
      ['This worksheet contains 1 table.'],
      ['This table contains data as reported by billing authorities.'],
      ['The current year that this table refers to relates to financial year 2024-25.'],
      [
        'E-code',
        'ONS Code ',
        'Authority',
        'Region',
        'Class',
        'Notes\n\n(cell will be blank if there are no notes)',
        '8. Average (Band D 2 Adult equivalent) council tax \n(including Adult Social Care precept and local precepts)\n\n\n\n(current year)',
        "16. Average council tax of major precepting authorities in the billing authority's area \n\n(county or GLA)",
        "16. Average council tax of major precepting authorities in the billing authority's area\n \n(police)",
        area,
      ],
      ['TE', 'TE', 'England', 'Eng', 'Eng', '[note a] [note b]', 2065.06, '[z]', '[z]', '[z]'],
      ['ILB', 'ILB', 'Inner London Boroughs', '[z]', 'ILB', null, 1085.95, '[z]', '[z]', 1517.98],
      ...rows,
      [],
    ],
    // What a spreadsheet keeps of files it once linked to.
    'file-C-DATA.XLS#Data_Billing': [
      ['E-code', 'ONS Code', area],
      ['E3831', 'E07000223', 1],
    ],
  };
}

const bandRows: readonly Row[] = [
  [
    'E3831',
    'E07000223',
    'Adur',
    'SE',
    'SD',
    null,
    1478.27,
    1724.64,
    1971.01,
    2217.39,
    2710.14,
    3202.9,
    3695.65,
    4434.78,
  ],
  [
    'E4401',
    'E08000038',
    'Barnsley',
    'YH',
    'MD',
    null,
    1267.17,
    1478.36,
    1689.56,
    1900.75,
    2323.14,
    2745.53,
    3167.92,
    3801.5,
  ],
  [
    'E0902',
    'E06000063',
    'Cumberland',
    'NW',
    'UA',
    null,
    1333.34,
    1555.56,
    1777.79,
    2000.01,
    2444.46,
    2888.9,
    3333.35,
    4000.02,
  ],
  [
    'E5022',
    'E09000033',
    'Westminster',
    'L',
    'ILB',
    null,
    609.19,
    710.72,
    812.25,
    913.79,
    1116.85,
    1319.91,
    1522.98,
    1827.58,
  ],
];

/** `Tables_1-9_2024-25.ods`. */
export const allBands = (rows: readonly Row[] = bandRows): Record<string, readonly Row[]> => ({
  Cover: [
    ['Council Tax levels set by local authorities'],
    ['First published: 20 March 2024'],
    ['Updated 1 May 2024'],
  ],
  Table_8a: [['own element'], [], ['E Code', 'ONS Code', 'Authority', 'Band D']],
  Table_9: [
    ['Table 9: Area council tax for a dwelling occupied by two adults by band, 2024 to 2025 [note p]'],
    ['This worksheet contains 1 table.'],
    [
      'E Code',
      'ONS Code',
      'Authority',
      'Region',
      'Class',
      'Notes',
      'Band A',
      'Band B',
      'Band C',
      'Band D',
      'Band E',
      'Band F',
      'Band G ',
      'Band H',
    ],
    ...rows,
  ],
});

/** `Band_D_2025-26.ods`: abolished councils among the others, `[z]` where there was no council. */
export const bandD = (): Record<string, readonly Row[]> => ({
  Cover: [['Live tables']],
  Average_CT: [['Table 1']],
  Area_CT: [
    ['Table 5: Area band D council tax for local authorities from 1993 to 1994 to 2025 to 2026'],
    ['This worksheet contains 1 table.'],
    [
      'Code ',
      'ONS Code',
      'Authority',
      'Current (YES/NO)',
      'Class',
      'Region',
      '2022 to 2023',
      '2023 to 2024',
      '2024 to 2025',
      '2025 to 2026',
      'Notes',
    ],
    ['E3831', 'E07000223', 'Adur', 'YES', 'SD', 'SE', 2104.6, 2217.39, 2217.39, 2400.1],
    ['E0931', 'E07000026', 'Allerdale', 'NO', 'SD', 'NW', 2050, '[z]', '[z]', '[z]'],
    ['E0120', '[z]', 'Avon  ', 'NO', 'SD', '[z]', '-', '[z]', '[z]', '[z]'],
    ['E4401', 'E08000016', 'Barnsley', 'YES', 'MD', 'YH', 1750, 1800, 1900.75, 2000],
    ['E0902', 'E06000063', 'Cumberland', 'YES', 'UA', 'NW', '[z]', 1950, 2000.01, 2100],
    ['E5022', 'E09000033', 'Westminster', 'YES', 'ILB', 'L', 866, 913.78, 913.79, 1000],
  ],
});

/** `council-tax-levels-april-2026-march-2027-….xlsx`. */
export const welshLevels = (
  rows: readonly Row[] = [
    ['Isle of Anglesey ', 2100.5, 5.5, 1700],
    ['Rhondda Cynon Taff (1)', 2000.004999, 4.4, 1600],
  ],
): Record<string, readonly Row[]> => ({
  Contents: [['Council Tax levels: April 2026 to March 2027'], ['Publication date: 24 March 2026']],
  Table1: [
    ['Table 1: Average band D council tax by local authority, 2026-27 (£)'],
    ['Local authority', 'Overall average band D ', 'Percentage change in overall band D', 'County council'],
    ...rows,
    ['Wales', 2150.25, 5, 1650],
    ['(1) Revised'],
  ],
});

/** StatsWales, "Composition of average band D council tax": three rows of headers, dots, six decimals. */
export const statsWales: readonly Row[] = [
  [
    'Local government > Finance > Council Tax > Levels > Composition of average band D council tax, by billing authority',
  ],
  ['Composition of average band D council tax, by billing authority'],
  [],
  ['Filters:'],
  ['Measure: £ per band D'],
  [],
  [null, null, '2022-23 '],
  [
    null,
    null,
    'Total CT for billing authority area (1)',
    '.',
    '.',
    '.',
    'Total CT for billing authority area (1)',
  ],
  [
    null,
    null,
    'County council CT (inc. community councils) (2)',
    '.',
    'County council CT (inc. community councils) (2)',
    'Police council tax within county area (3)',
    '.',
  ],
  [null, null, 'County council CT (exc. community councils) (4)', 'Community council CT (5)', '.', '.', '.'],
  ['Total Unitary Authorities ', null, 1433.416911, 40.077509, 1473.49442, 303.687509, 1777.181929],
  [null, 'Isle of Anglesey ', 1367.457391, 53.752609, 1421.21, 316.800033, 1738.010033],
  [null, 'Rhondda Cynon Taf ', 1553.530785, 30.569215, 1584.1, 302.110004, 1886.210004],
];

const scottishRows: readonly Row[] = [
  [
    'Argyll & Bute',
    1140.5466666666666,
    1330.6377777777777,
    1520.7288888888888,
    1710.82,
    2247.8273888888889,
    2780.0825,
    3350.3558333333335,
    4191.509,
  ],
  [
    'Glasgow City ',
    1137.3333333333333,
    1326.8888888888889,
    1516.4444444444443,
    1706,
    2241.4944444444445,
    2772.25,
    3340.9166666666665,
    4179.700000000001,
  ],
  ['Shetland  Islands', 944.7, 1102.15, 1259.6, 1417.05, 1861.85, 2302.71, 2775.06, 3471.77],
];

/** "CTAS 2026 - … Council Tax by Band - 2026-27.xlsx": names only, unrounded floats. */
export const scottishBands = (rows: readonly Row[] = scottishRows): Record<string, readonly Row[]> => ({
  'CT by Band, 2026-27': [
    ['Council Tax by Band, 2026-27'],
    ['Excludes water and sewerage charges'],
    [null, 'Band A', 'Band B', 'Band C', 'Band D', 'Band E', 'Band F', 'Band G', 'Band H'],
    ['Ratio to Band D', 240 / 360, 280 / 360, 320 / 360, 1, 473 / 360, 585 / 360, 705 / 360, 882 / 360],
    ...rows,
    ['Scotland average', 1102.29, 1286.01, 1469.72, 1653.44, 2172.44, 2686.84, 3237.99, 4050.93],
  ],
});
