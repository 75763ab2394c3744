// The band of one home: its reader chooses an address of the postcode, which is free, and then asks for the band of it.

import { useState } from 'preact/hooks';
import { credits } from '../../api/credits.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/form.tsx';
import { Terms } from '../../components/parts.tsx';
import { amountText, creditsText, dayText } from '../../formats.ts';
import { ThisCall } from '../calls/this-call.tsx';
import { useCall } from '../calls/use-call.ts';
import { usePayer } from '../payer.ts';
import { Unanswered } from '../refusals/refused.tsx';

export function PropertyBand({ postcode }: { readonly postcode: string }) {
  const called = useCall({ path: '/council-tax/property-candidates', params: { postcode } });
  return (
    <>
      <Unanswered called={called} lines={3} what="Loading addresses" />
      {called.kind === 'answered' ? (
        <Addresses postcode={postcode} addresses={called.told.candidates} />
      ) : null}
      <ThisCall calls={[called]} />
    </>
  );
}

type AddressesWish = { readonly postcode: string; readonly addresses: readonly string[] };

function Addresses({ postcode, addresses }: AddressesWish) {
  const payer = usePayer();
  const [chosen, setChosen] = useState(addresses[0] ?? '');
  const [asked, setAsked] = useState<string | undefined>(undefined);
  if (addresses.length === 0) return <p class="nothing">The valuation list has no home in this postcode.</p>;
  const cost = payer.kind === 'sandbox' ? 'free' : creditsText(credits['/council-tax/property-lookup']);
  return (
    <div class="stack">
      <div class="property">
        <Choice
          label="Address"
          value={chosen}
          options={addresses.map((address) => ({ value: address, label: address }))}
          onValue={setChosen}
        />
        <Button onPress={() => setAsked(chosen)}>Show its band ({cost})</Button>
      </div>
      {asked === undefined ? null : <Home postcode={postcode} address={asked} />}
    </div>
  );
}

function Home({ postcode, address }: { readonly postcode: string; readonly address: string }) {
  const called = useCall({ path: '/council-tax/property-lookup', params: { postcode, address } });
  if (called.kind !== 'answered') return <Unanswered called={called} lines={3} what="Loading the band" />;
  const { councilTaxBand, councilTaxAmount, matchedAddress, taxYear, propertyDetails } = called.told;
  const since = propertyDetails.effectiveDate;
  return (
    <div class="home-band" role="status">
      <p class="lead-figure">
        <strong>Band {councilTaxBand}</strong>{' '}
        <span>
          {amountText(councilTaxAmount)} in {taxYear}.
        </span>
      </p>
      <Terms
        terms={[
          // Its postcode is not broken in two.
          ['Listed as', matchedAddress.replace(postcode, postcode.replace(' ', '\u00a0'))],
          ['In this band since', since === null ? 'the list does not say' : dayText(since)],
        ]}
      />
    </div>
  );
}
