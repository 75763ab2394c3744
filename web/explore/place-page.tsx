// All that is known of a place, panel by panel. Each asks by itself, so that one that fails leaves the others alone.

import { Page } from '../components/page.tsx';
import { AreaPanels } from './area/panels.tsx';
import { BankRatePanel } from './bank-rate/panels.tsx';
import { CouncilTaxPanels } from './council-tax/panels.tsx';
import { CrimePanels } from './crime/panels.tsx';
import { MapPanel } from './map/panels.tsx';
import type { PanelsWish } from './place.ts';
import { PricesPanels } from './prices/panels.tsx';

export function PlacePage(wish: PanelsWish) {
  return (
    <Page title={wish.place.title}>
      <MapPanel {...wish} />
      <AreaPanels {...wish} />
      <PricesPanels {...wish} />
      <BankRatePanel />
      <CrimePanels {...wish} />
      <CouncilTaxPanels {...wish} />
    </Page>
  );
}
