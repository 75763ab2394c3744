// Every source that can be loaded; one line each. Recognition asks them in this order, and of several that fill one
// dataset the first is read, so the one that says most comes first.

import type { Source } from '../ingest/source.ts';
import { aadf } from './aadf.ts';
import { authorities } from './authorities.ts';
import { bankRate } from './bank-rate.ts';
import { bikepoint } from './bikepoint.ts';
import { bods } from './bods.ts';
import { censusEnglandWales } from './census-england-wales.ts';
import { censusNorthernIreland } from './census-northern-ireland.ts';
import { censusSample } from './census-sample.ts';
import { censusScotland } from './census-scotland.ts';
import { codePointOpen } from './code-point-open.ts';
import { councilTax } from './council-tax.ts';
import { gias } from './gias.ts';
import { income } from './income.ts';
import { naptan } from './naptan.ts';
import { ofsted } from './ofsted.ts';
import { onsNames } from './ons-names.ts';
import { nspl, onspd } from './onspd.ts';
import { openStreetMap } from './openstreetmap.ts';
import { police } from './police.ts';
import { policeSample } from './police-sample.ts';
import { postcodeSample } from './postcode-sample.ts';
import { pricePaid } from './price-paid.ts';
import { schoolsScotland } from './schools-scotland.ts';
import { schoolsWales } from './schools-wales.ts';
import { stationSample } from './station-sample.ts';
import { valuationList } from './valuation-list.ts';

export const sources: readonly Source[] = [
  bankRate,
  onspd,
  nspl,
  codePointOpen,
  postcodeSample,
  authorities,
  councilTax,
  pricePaid,
  police,
  policeSample,
  gias,
  ofsted,
  schoolsWales,
  schoolsScotland,
  openStreetMap,
  censusEnglandWales,
  censusSample,
  censusScotland,
  censusNorthernIreland,
  income,
  naptan,
  stationSample,
  bods,
  bikepoint,
  aadf,
  // Last: files of other kinds may have names beside their codes, or addresses.
  onsNames,
  valuationList,
];
