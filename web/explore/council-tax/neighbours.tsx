// What nearby authorities charge for band D, nearest first.

import type { Answers } from '../../api/answers.ts';
import { Table } from '../../components/table.tsx';
import { amountText, distanceText } from '../../formats.ts';
import { ThisCall } from '../calls/this-call.tsx';
import { useCall } from '../calls/use-call.ts';
import { Unanswered } from '../refusals/refused.tsx';

type Authority = Answers['/council-tax/authorities']['authorities'][number];

type NeighboursWish = {
  readonly postcode: string;
  /** Code of the authority that the place lies in. */
  readonly own: string;
};

export function Neighbours({ postcode, own }: NeighboursWish) {
  const called = useCall({ path: '/council-tax/authorities', params: { near: postcode, limit: 8 } });
  return (
    <>
      <Unanswered called={called} lines={5} what="Loading nearby authorities" />
      {called.kind === 'answered' ? (
        <AuthorityTable authorities={called.told.authorities} own={own} isSample={called.coverage !== null} />
      ) : null}
      <ThisCall calls={[called]} />
    </>
  );
}

type AuthorityTableWish = {
  readonly authorities: readonly Authority[];
  readonly own: string;
  readonly isSample: boolean;
};

function AuthorityTable({ authorities, own, isSample }: AuthorityTableWish) {
  const here = authorities.find(({ authorityCode }) => authorityCode === own)?.band_d ?? null;
  const others = authorities.filter(({ authorityCode }) => authorityCode !== own);
  return (
    <>
      {isSample ? (
        <p class="not-there">Only a sample of postcodes is loaded, so nearer authorities may be missing.</p>
      ) : null}
      {others.some(({ authorityCode }) => isAcross(authorityCode, own)) ? (
        <p class="soft">
          Bands are set at other values in England, Wales and Scotland. Across a border, band D is not the
          same kind of home.
        </p>
      ) : null}
      {others.length === 0 ? (
        <p class="nothing">No postcode of another authority within 100 km is loaded.</p>
      ) : (
        <Table
          caption="Band D in nearby authorities"
          rows={authorities}
          keyOf={({ authorityCode }) => authorityCode}
          narrow="columns"
          columns={[
            { title: 'Authority', kind: 'name', cell: ({ name }) => name, by: ({ name }) => name },
            {
              title: 'Distance',
              kind: 'number',
              cell: ({ authorityCode, distanceMetres }) => {
                if (authorityCode === own) return 'here';
                return distanceMetres === undefined ? 'not known' : distanceText(distanceMetres);
              },
              by: ({ distanceMetres = 0 }) => distanceMetres,
            },
            {
              title: 'Band D',
              kind: 'number',
              inLines: 'beside the name',
              cell: ({ band_d = null }) => (band_d === null ? 'not known' : amountText(band_d)),
              by: ({ band_d }) => band_d ?? -1,
            },
            {
              title: 'Compared with here',
              kind: 'number',
              cell: ({ authorityCode, band_d = null }) => {
                if (authorityCode === own || band_d === null || here === null) return '';
                return isAcross(authorityCode, own) ? 'not comparable' : differenceText(band_d - here);
              },
            },
            { title: 'Year', kind: 'number', cell: ({ taxYear }) => taxYear ?? '' },
          ]}
        />
      )}
    </>
  );
}

/** In another nation, by the first letter of the code. */
const isAcross = (code: string, own: string): boolean => code[0] !== own[0];

const differenceText = (pounds: number): string => `${pounds < 0 ? '−' : '+'}${amountText(Math.abs(pounds))}`;
