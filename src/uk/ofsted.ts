// Ofsted's judgements of a state-funded school, old and new, on one scale of four tiers. Ofsted itself puts them on
// none: overall grades ended in September 2024, report cards began in November 2025, and it says that the two cannot be
// compared. The scale is this project's, and every figure made of it says so.

export const reportCardGrades = [
  'Exceptional',
  'Strong standard',
  'Expected standard',
  'Needs attention',
  'Urgent improvement',
] as const;
export type ReportCardGrade = (typeof reportCardGrades)[number];

/** Grades of the education inspection framework (OEIF), in words. */
const oeifGrades = { 1: 'Outstanding', 2: 'Good', 3: 'Requires improvement', 4: 'Inadequate' } as const;
export type OeifGrade = keyof typeof oeifGrades;

/** Codes of the management information, in words. */
const concerns = {
  SM: 'special measures',
  SWK: 'serious weaknesses',
  RSI: 'requires significant improvement',
} as const;
export type Concern = keyof typeof concerns;
export const isConcern = (code: string): code is Concern => Object.hasOwn(concerns, code);

/** Only ever add at the end: releases hold the place in this list. */
export const frameworks = ['OEIF', 'Report card', 'Ungraded inspection'] as const;
type Framework = (typeof frameworks)[number];

/** 4 is best; 0 is unrated. */
export type Tier = 0 | 1 | 2 | 3 | 4;

type Visit = {
  /** First day of the inspection, as days since 1970-01-01. */
  readonly day: number | null;
  /** The school of before, whose place this one took: an academy has the grade of the school it was. */
  readonly isOfPredecessor: boolean;
};

/** What the latest inspections of each kind said. */
export type Inspections = {
  readonly reportCard: Visit & {
    /** Of the areas that were graded. */
    readonly areas: readonly ReportCardGrade[];
    readonly safeguarding: 'Met' | 'Not met' | null;
  };
  readonly oeif: Visit & {
    readonly overall: OeifGrade | 'Not judged' | null;
    readonly qualityOfEducation: OeifGrade | null;
  };
  readonly ungraded: Visit & { readonly outcome: string };
  readonly concern: Concern | null;
};

export type Rating = {
  readonly tier: Tier;
  /** Of the inspection that the rest speaks of; null where there was none. */
  readonly framework: Framework | null;
  /** As published, a category of concern included; empty where nothing was. */
  readonly label: string;
  readonly day: number | null;
  /** An overall grade of Outstanding that still stands. */
  readonly isOutstanding: boolean;
  readonly isOfPredecessor: boolean;
};

const unrated: Rating = {
  tier: 0,
  framework: null,
  label: '',
  day: null,
  isOutstanding: false,
  isOfPredecessor: false,
};

/** The newest kind of judgement counts; a category of concern is the lowest tier whatever else was said. */
export function rateSchool(inspections: Inspections): Rating {
  const { concern } = inspections;
  const rating =
    rateReportCard(inspections) ?? rateGraded(inspections) ?? rateUngraded(inspections) ?? unrated;
  if (concern === null) return rating;
  const label = rating.label === '' ? concerns[concern] : `${rating.label}; ${concerns[concern]}`;
  return { ...rating, tier: 1, label, isOutstanding: false };
}

function rateReportCard({ reportCard }: Inspections): Rating | undefined {
  const { areas, safeguarding, day, isOfPredecessor } = reportCard;
  if (areas.length === 0 && safeguarding !== 'Not met') return undefined;
  const count = (grade: ReportCardGrade) => areas.filter((area) => area === grade).length;
  const counts = reportCardGrades.flatMap((grade) => (count(grade) > 0 ? [`${grade} ${count(grade)}`] : []));
  const parts = [
    counts.join(', '),
    safeguarding === null ? '' : `safeguarding ${safeguarding.toLowerCase()}`,
  ];
  return {
    tier: tierOfCard(areas.length, count, safeguarding),
    framework: 'Report card',
    label: parts.filter((part) => part !== '').join('; '),
    day,
    isOutstanding: false,
    isOfPredecessor,
  };
}

function tierOfCard(
  areas: number,
  count: (grade: ReportCardGrade) => number,
  safeguarding: Inspections['reportCard']['safeguarding'],
): Tier {
  if (safeguarding === 'Not met' || count('Urgent improvement') > 0) return 1;
  if (count('Needs attention') > 0) return 2;
  return 2 * (count('Exceptional') + count('Strong standard')) >= areas ? 4 : 3;
}

const tierOfGrade = { 1: 4, 2: 3, 3: 2, 4: 1 } as const satisfies Record<OeifGrade, Tier>;

function rateGraded({ oeif }: Inspections): Rating | undefined {
  const { overall, qualityOfEducation, day, isOfPredecessor } = oeif;
  const common = { framework: 'OEIF', day, isOfPredecessor } as const;
  if (overall === null) return undefined;
  if (overall !== 'Not judged') {
    const isOutstanding = overall === 1;
    return { ...common, tier: tierOfGrade[overall], label: oeifGrades[overall], isOutstanding };
  }
  if (qualityOfEducation === null) return undefined;
  return {
    ...common,
    tier: tierOfGrade[qualityOfEducation],
    label: `Quality of education: ${oeifGrades[qualityOfEducation]}`,
    isOutstanding: false,
  };
}

/** From September 2024 on the outcomes ("Standards maintained") name no grade, so that they give no tier. */
function rateUngraded({ ungraded }: Inspections): Rating | undefined {
  const { outcome, day, isOfPredecessor } = ungraded;
  if (outcome === '') return undefined;
  const grade = /^school remains (outstanding|good)\b/i.exec(outcome)?.[1]?.toLowerCase();
  return {
    tier: grade === 'outstanding' ? 4 : grade === 'good' ? 3 : 0,
    framework: 'Ungraded inspection',
    label: outcome,
    day,
    isOutstanding: grade === 'outstanding',
    isOfPredecessor,
  };
}
