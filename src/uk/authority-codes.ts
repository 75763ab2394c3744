// Authorities that went on under a new ONS code after a change of boundary. Publications move to the new code in
// different years (Barnsley and Sheffield have the old one in the 2023-24 council tax tables, the new one in Code-Point
// Open of October 2025), so whoever joins two of them brings both to the current code first.

/** Former code → current code. */
const recoded: ReadonlyMap<string, string> = new Map([
  ['E08000016', 'E08000038'], // Barnsley
  ['E08000019', 'E08000039'], // Sheffield
  ['S12000015', 'S12000047'], // Fife
  ['S12000024', 'S12000048'], // Perth and Kinross
  ['S12000046', 'S12000049'], // Glasgow City
  ['S12000044', 'S12000050'], // North Lanarkshire
]);

const formerByCurrent: ReadonlyMap<string, string> = new Map(
  [...recoded].map(([former, current]) => [current, former]),
);

/** The code the authority has today; any other code comes back as it is. */
export function currentAuthorityCode(code: string): string {
  return recoded.get(code) ?? code;
}

/** The code an authority had before it was recoded, given its current one. */
export function findFormerAuthorityCode(code: string): string | undefined {
  return formerByCurrent.get(code);
}
