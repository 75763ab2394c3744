// What the letters of a postcode tell by themselves: whether the Royal Mail uses them, and for some in which nation they lie,
// so that an answer which depends on the nation alone needs no directory.

const englandAndWales =
  'AL B BA BB BD BH BL BN BR BS CA CB CF CH CM CO CR CT CV CW DA DE DH DL DN DT DY E EC EN EX FY GL GU HA HD HG HP HR HU HX IG IP KT L LA LD LE LL LN LS LU M ME MK N NE NG NN NP NR NW OL OX PE PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO';
const scotland = 'AB DD EH FK G HS IV KA KW KY ML PA PH ZE';
/** Scottish areas with some postcodes in England. */
const border: ReadonlySet<string> = new Set(['DG', 'TD']);

const elsewhere = {
  BT: 'Northern Ireland',
  JE: 'Channel Islands',
  GY: 'Channel Islands',
  IM: 'Isle of Man',
} as const;

/** A nation that letters alone can tell. */
type LetteredNation = 'Scotland' | (typeof elsewhere)[keyof typeof elsewhere];

const nations: ReadonlyMap<string, LetteredNation> = new Map([
  ...scotland.split(' ').map((area) => [area, 'Scotland'] as const),
  ...Object.entries(elsewhere),
]);

const areas: ReadonlySet<string> = new Set([...englandAndWales.split(' '), ...border, ...nations.keys()]);

/** Whether the letters leave open on which side of the border to Scotland a postcode lies. */
export const isBorderArea = (area: string): boolean => border.has(area);

/** The area of the made-up town, which is never allocated. */
export const sandboxArea = 'ZZ';

/** Whether places in the United Kingdom, the Channel Islands or the Isle of Man have postcodes with these letters. */
export const isPostcodeArea = (area: string): boolean => areas.has(area);

/** The nation of every postcode of the area; undefined in England and Wales, on the border, and for letters that are no area. */
export const nationOfArea = (area: string): LetteredNation | undefined => nations.get(area);

/** As it stands within a sentence. */
export const nationInWords = (nation: LetteredNation): string =>
  nation === 'Channel Islands' || nation === 'Isle of Man' ? `the ${nation}` : nation;
