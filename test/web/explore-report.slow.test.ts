// The report of two places, in a real browser against the real service.

import assert from 'node:assert/strict';
import { browser, testWith } from '../requirements.ts';
import { exploreDeskOfFile } from './explore-desk.ts';

const desk = exploreDeskOfFile();

testWith(
  browser,
  'the report of two places has a page of paper for each, and leads back to both',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
    await page.locator('#council-tax-beside .lead-figure').waitFor();
    await page.getByRole('link', { name: 'Report to print' }).click();
    await page.waitForURL('**/explore/ZZ1-1AA/report?with=ZZ3-1AA');
    const words = [];
    for (const postcode of ['ZZ1 1AA', 'ZZ3 1AA']) {
      const part = page.getByRole('region', { name: postcode, exact: true });
      await part.locator('[aria-label="Council tax by band"]').waitFor();
      words.push(await part.locator('[aria-label="Council tax by band"]').innerText());
    }
    assert.notEqual(words[0], words[1]);
    const paper = await page.pdf({ preferCSSPageSize: true });
    assert.equal(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, 2);
    await page.getByRole('link', { name: 'Back to the places' }).click();
    await page.getByRole('heading', { level: 1, name: 'ZZ1 1AA and ZZ3 1AA', exact: true }).waitFor();
    await page.goto('/explore/ZZ1-1AA/report?with=ZZ9-9ZZ');
    await page.getByText('ZZ9 9ZZ is not a postcode of the made-up town.').waitFor();
    await page.getByRole('link', { name: 'Back to the place', exact: true }).waitFor();
    await close();
  },
);
