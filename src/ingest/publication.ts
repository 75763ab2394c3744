// What a publication is: files that a publisher keeps at an address of the web, how the newest of them is found, how often
// there is a new one, and what it may cost. Each source says in its own file which publications fill it.

import type { DatasetName } from '../datasets.ts';

export type Publication = {
  /** Unique among all publications. Settings, folders and messages name it so. */
  readonly name: string;
  /** As its publisher calls it. */
  readonly title: string;
  /** For people: where to look when the files are not found any more. */
  readonly page: string;
  readonly find: Find;
  /** Every host that an address may have, also after a redirect. */
  readonly hosts: readonly string[];
  readonly rhythm: Rhythm;
  /** Of all files together, as they were seen. */
  readonly typicalBytes: number;
  /** A file beyond this is not taken. */
  readonly mostBytes: number;
  /** What loading it took on two cores, and what stays of it on disk (bench/README.md). */
  readonly loading: { readonly seconds: number; readonly memoryBytes: number; readonly diskBytes: number };
  /** Continues "needed for …". */
  readonly gives: string;
  /** `essential`: the endpoints need it for England and Wales. `on request`: only where it is named, because another
   *  publication says more. */
  readonly set: 'essential' | 'all' | 'on request';
  /** What a person must have accepted before it is used. */
  readonly terms?: Terms;
  /** `changes`: what became new since the month before, so that it is taken where that month is loaded, and else the
   *  publication of the same dataset that has everything. */
  readonly holds: 'everything' | 'changes';
  /** `all files of the dataset`: when one is new, the loader needs the others too. */
  readonly readWith: 'nothing else' | 'all files of the dataset';
};

type Rhythm = {
  /** For people: "monthly, about the 10th". */
  readonly text: string;
  /** A new edition is late when the newest is older than this. Null: there will be no other. */
  readonly lateAfterDays: number | null;
  /** Not asked for sooner. 0 where asking costs one small request. */
  readonly askEveryDays: number;
};

export type Terms = {
  /** Unique among all terms, as a setting names it. */
  readonly name: string;
  /** One or two sentences: what binds whoever uses it. */
  readonly text: string;
  readonly page: string;
  /** What is left out until then: the publication, or rows of it. */
  readonly leavesOut: LeavesOut;
};

export type LeavesOut = 'the publication' | 'postcodes of Northern Ireland';

/** How the newest files are found. Patterns are tried on what the publisher answered, never on what was typed by hand. */
export type Find =
  | { readonly kind: 'fixed'; readonly addresses: readonly string[] }
  /** The downloads API of Ordnance Survey. */
  | {
      readonly kind: 'os-downloads';
      readonly product: string;
      readonly area: string;
      readonly format: string;
    }
  /** The content API of GOV.UK. With `document`, the page is a collection, and one document of such a title has the
   *  files: the one that comes last in the order of the group `newest`, or else the first. Each of `files` must be there. */
  | {
      readonly kind: 'govuk';
      readonly path: string;
      readonly document?: RegExp;
      readonly files: readonly { readonly title?: RegExp; readonly fileName?: RegExp }[];
    }
  /** Items of ArcGIS. `title` has the groups `month` and `year`, by which the newest is chosen. */
  | {
      readonly kind: 'arcgis';
      readonly search: string;
      readonly itemType: string;
      readonly title: RegExp;
      /** Asked for where the search finds none. */
      readonly pinnedItem?: string;
      readonly take: 'the file of the item' | 'its first layer as CSV';
    }
  /** Links of a page, then of the page that they lead to; patterns are tried on whole addresses. Of several, the one that
   *  comes last in the order of the group `newest`, or else the first on the page. */
  | {
      readonly kind: 'links';
      readonly page: string;
      readonly follow: readonly RegExp[];
      /** The page has the MD5 of the file behind its link. */
      readonly md5Behind?: true;
    }
  /** A day in the name, tried backwards from today: `{YYYYMMDD}` stands for it. */
  | { readonly kind: 'dated'; readonly address: string; readonly daysBack: number };

/** A file that a publisher offers now. */
export type Offer = {
  readonly address: string;
  readonly fileName: string;
  /** As far as the publisher's index tells: "August 2026", "2026-08". */
  readonly edition?: string;
  readonly bytes?: number;
  readonly md5?: string;
};

/** A publication with the dataset that it fills. */
export type Listed = Publication & { readonly dataset: DatasetName };
