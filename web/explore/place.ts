// A place that the explorer shows: what stands in its address, and what the API is asked for it.

export type Place = {
  /** In the address: `NP10 8WA` as `/explore/NP10-8WA`, an outcode as `/explore/NP10`, a named place by its own words. */
  readonly slug: string;
  /** "NP10 8WA", "NP10", "Newport". */
  readonly title: string;
  readonly kind: 'postcode' | 'outcode' | 'named';
  /** What endpoints that take a postcode are asked: the place's own, or the one in its middle. */
  readonly postcode: string;
  /** What sold prices are asked: an outcode, or a whole postcode. */
  readonly area: string;
};

export type PanelsWish = {
  readonly place: Place;
  /** A second place that it is compared with. */
  readonly beside: Place | undefined;
};
