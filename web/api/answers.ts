// Generated from src/endpoints/ by `npm run docs`; do not edit by hand.

/** What an endpoint answers, without the envelope. */
export type Answers = {
  readonly '/area/statistics': {
    readonly demographics: {
      readonly population: number | null;
      readonly populationDensity: number | null;
      readonly medianAge: number | null;
      readonly households: number | null;
      readonly averageHouseholdSize: number | null;
      readonly employmentRate: number | null;
      readonly medianIncome: number | null;
      readonly basis: readonly ({
        readonly fields: readonly string[];
        readonly dataset: 'bank-rate' | 'postcodes' | 'place-names' | 'authorities' | 'council-tax' | 'valuations' | 'price-paid' | 'crime' | 'schools-england' | 'schools-wales' | 'schools-scotland' | 'ofsted' | 'amenities' | 'census-england-wales' | 'census-scotland' | 'census-northern-ireland' | 'income' | 'stops' | 'bus-routes' | 'cycle-hire' | 'traffic';
        readonly source: string;
        readonly period: string;
        readonly geographyCode: string | null;
        readonly geographyName: string | null;
        readonly radiusMetres: number | null;
        readonly comparison?: {
          readonly areas: number;
          readonly forcesLoaded: number;
          readonly forcesOfNation: number;
          readonly rate: number;
          readonly averageRate: number;
          readonly percentile: number;
        };
      })[];
    };
    readonly amenities: {
      readonly supermarkets: number | null;
      readonly convenienceStores: number | null;
      readonly restaurants: number | null;
      readonly cafes: number | null;
      readonly takeaways: number | null;
      readonly pubsAndBars: number | null;
      readonly gps: number | null;
      readonly pharmacies: number | null;
      readonly dentists: number | null;
      readonly hospitals: number | null;
      readonly parks: number | null;
      readonly playgrounds: number | null;
      readonly gyms: number | null;
      readonly libraries: number | null;
      readonly postOffices: number | null;
      readonly banks: number | null;
      readonly nearestSupermarketMetres: number | null;
      readonly nearestParkMetres: number | null;
      readonly nearestGpMetres: number | null;
      readonly basis: readonly ({
        readonly fields: readonly string[];
        readonly dataset: 'bank-rate' | 'postcodes' | 'place-names' | 'authorities' | 'council-tax' | 'valuations' | 'price-paid' | 'crime' | 'schools-england' | 'schools-wales' | 'schools-scotland' | 'ofsted' | 'amenities' | 'census-england-wales' | 'census-scotland' | 'census-northern-ireland' | 'income' | 'stops' | 'bus-routes' | 'cycle-hire' | 'traffic';
        readonly source: string;
        readonly period: string;
        readonly geographyCode: string | null;
        readonly geographyName: string | null;
        readonly radiusMetres: number | null;
        readonly comparison?: {
          readonly areas: number;
          readonly forcesLoaded: number;
          readonly forcesOfNation: number;
          readonly rate: number;
          readonly averageRate: number;
          readonly percentile: number;
        };
      })[];
    };
    readonly crime: {
      readonly overall: 'Very low' | 'Low' | 'Average' | 'High' | 'Very high' | 'Unavailable';
      readonly score: number | null;
      readonly last12Months: number | null;
      readonly changeVsPreviousYear: number | null;
      readonly breakdown: {
        readonly violent: number | null;
        readonly burglary: number | null;
        readonly vehicleCrime: number | null;
        readonly antisocial: number | null;
        readonly other: number | null;
      };
      readonly comparedToNational: string;
      readonly basis: readonly ({
        readonly fields: readonly string[];
        readonly dataset: 'bank-rate' | 'postcodes' | 'place-names' | 'authorities' | 'council-tax' | 'valuations' | 'price-paid' | 'crime' | 'schools-england' | 'schools-wales' | 'schools-scotland' | 'ofsted' | 'amenities' | 'census-england-wales' | 'census-scotland' | 'census-northern-ireland' | 'income' | 'stops' | 'bus-routes' | 'cycle-hire' | 'traffic';
        readonly source: string;
        readonly period: string;
        readonly geographyCode: string | null;
        readonly geographyName: string | null;
        readonly radiusMetres: number | null;
        readonly comparison?: {
          readonly areas: number;
          readonly forcesLoaded: number;
          readonly forcesOfNation: number;
          readonly rate: number;
          readonly averageRate: number;
          readonly percentile: number;
        };
      })[];
    };
    readonly schools: {
      readonly averageRating: number | null;
      readonly primary: number | null;
      readonly secondary: number | null;
      readonly ofstedOutstanding: number | null;
      readonly topSchools: readonly ({
        readonly name: string;
        readonly urn: string | null;
        readonly phase: string;
        readonly rating: string | null;
        readonly framework: string | null;
        readonly inspectionDate: string | null;
        readonly distanceKm: number;
      })[];
      readonly basis: readonly ({
        readonly fields: readonly string[];
        readonly dataset: 'bank-rate' | 'postcodes' | 'place-names' | 'authorities' | 'council-tax' | 'valuations' | 'price-paid' | 'crime' | 'schools-england' | 'schools-wales' | 'schools-scotland' | 'ofsted' | 'amenities' | 'census-england-wales' | 'census-scotland' | 'census-northern-ireland' | 'income' | 'stops' | 'bus-routes' | 'cycle-hire' | 'traffic';
        readonly source: string;
        readonly period: string;
        readonly geographyCode: string | null;
        readonly geographyName: string | null;
        readonly radiusMetres: number | null;
        readonly comparison?: {
          readonly areas: number;
          readonly forcesLoaded: number;
          readonly forcesOfNation: number;
          readonly rate: number;
          readonly averageRate: number;
          readonly percentile: number;
        };
      })[];
    };
    readonly transport: {
      readonly tubeStations: number | null;
      readonly railStations: number | null;
      readonly busRoutes: number | null;
      readonly cycleHireStations: number | null;
      readonly averageCommuteToCity: number | null;
      readonly trafficLevel: 'Low' | 'Moderate' | 'High' | 'Very high' | 'Unknown';
      readonly basis: readonly ({
        readonly fields: readonly string[];
        readonly dataset: 'bank-rate' | 'postcodes' | 'place-names' | 'authorities' | 'council-tax' | 'valuations' | 'price-paid' | 'crime' | 'schools-england' | 'schools-wales' | 'schools-scotland' | 'ofsted' | 'amenities' | 'census-england-wales' | 'census-scotland' | 'census-northern-ireland' | 'income' | 'stops' | 'bus-routes' | 'cycle-hire' | 'traffic';
        readonly source: string;
        readonly period: string;
        readonly geographyCode: string | null;
        readonly geographyName: string | null;
        readonly radiusMetres: number | null;
        readonly comparison?: {
          readonly areas: number;
          readonly forcesLoaded: number;
          readonly forcesOfNation: number;
          readonly rate: number;
          readonly averageRate: number;
          readonly percentile: number;
        };
      })[];
    };
  };
  readonly '/council-tax/lookup': {
    readonly postcode: string;
    readonly authority: string;
    readonly ons_code: string;
    readonly taxYear: string;
    readonly councilTaxBands: {
      readonly band_a: number;
      readonly band_b: number;
      readonly band_c: number;
      readonly band_d: number;
      readonly band_e: number;
      readonly band_f: number;
      readonly band_g: number;
      readonly band_h: number;
    };
    readonly years?: readonly ({
      readonly taxYear: string;
      readonly councilTaxBands: {
        readonly band_a: number;
        readonly band_b: number;
        readonly band_c: number;
        readonly band_d: number;
        readonly band_e: number;
        readonly band_f: number;
        readonly band_g: number;
        readonly band_h: number;
        readonly band_i: number | null;
      };
    })[];
  };
  readonly '/council-tax/property-lookup': {
    readonly postcode: string;
    readonly searchAddress: string;
    readonly matchedAddress: string;
    readonly councilTaxBand: 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I';
    readonly councilTaxAmount: number;
    readonly authority: string;
    readonly ons_code: string;
    readonly taxYear: string;
    readonly propertyDetails: {
      readonly voaDetailsLink: string;
      readonly reference: string | null;
      readonly uprn: string | null;
      readonly effectiveDate: string | null;
    };
    readonly allBandAmounts: {
      readonly band_a: number;
      readonly band_b: number;
      readonly band_c: number;
      readonly band_d: number;
      readonly band_e: number;
      readonly band_f: number;
      readonly band_g: number;
      readonly band_h: number;
    };
  };
  readonly '/council-tax/property-candidates': {
    readonly postcode: string;
    readonly candidateCount: number;
    readonly candidates: readonly string[];
    readonly executionTime: number;
  };
  readonly '/council-tax/authorities': {
    readonly authorities: readonly ({
      readonly authorityCode: string;
      readonly name: string;
      readonly category: 'London borough' | 'Metropolitan district' | 'Non-metropolitan district' | 'Unitary authority' | 'Scottish council' | 'Welsh principal area';
      readonly nation: 'England' | 'Wales' | 'Scotland';
      readonly isBillingAuthority: boolean;
      readonly isSelectable: boolean;
      readonly websiteUrl: string | null;
      readonly distanceMetres?: number;
      readonly taxYear?: string | null;
      readonly band_d?: number | null;
    })[];
  };
  readonly '/council-tax/authority-lookup': {
    readonly authorityCode: string;
    readonly authority: string;
    readonly ons_code: string;
    readonly category: 'London borough' | 'Metropolitan district' | 'Non-metropolitan district' | 'Unitary authority' | 'Scottish council' | 'Welsh principal area';
    readonly nation: 'England' | 'Wales' | 'Scotland';
    readonly taxYear: string;
    readonly sourcePublishedAt: string;
    readonly sourceUpdatedAt: string;
    readonly councilTaxBands: {
      readonly band_a: number;
      readonly band_b: number;
      readonly band_c: number;
      readonly band_d: number;
      readonly band_e: number;
      readonly band_f: number;
      readonly band_g: number;
      readonly band_h: number;
      readonly band_i: number | null;
    };
    readonly years?: readonly ({
      readonly taxYear: string;
      readonly councilTaxBands: {
        readonly band_a: number;
        readonly band_b: number;
        readonly band_c: number;
        readonly band_d: number;
        readonly band_e: number;
        readonly band_f: number;
        readonly band_g: number;
        readonly band_h: number;
        readonly band_i: number | null;
      };
    })[];
  };
  readonly '/crime/by-postcode': {
    readonly locationName: string;
    readonly postcode: string;
    readonly latitude: number;
    readonly longitude: number;
    readonly policeForce: string;
    readonly referenceMonth: string;
    readonly monthsRequested: number;
    readonly monthlyTotals: Readonly<Record<string, number>>;
    readonly crimeCategories: readonly {
      readonly category: string;
      readonly displayName: string;
      readonly count: number;
      readonly percentage: number;
      readonly outcomes: Readonly<Record<string, number>>;
    }[];
    readonly totalCrimes: number;
    readonly rawCrimes?: readonly ({
      readonly month: string;
      readonly category: string;
      readonly location: string;
      readonly context: string;
      readonly persistent_id: string;
      readonly location_subtype: string;
      readonly outcome_status: {
        readonly category: string;
        readonly date: string;
      } | null;
    })[];
    readonly pointsTotal?: number;
    readonly points?: readonly {
      readonly latitude: number;
      readonly longitude: number;
      readonly location: string;
      readonly count: number;
      readonly byMonth: Readonly<Record<string, Readonly<Record<string, number>>>>;
    }[];
    readonly monthCoverage?: Readonly<Record<string, 'published' | 'partial' | 'missing'>>;
    readonly comparison?: {
      readonly months: readonly string[];
      readonly here: {
        readonly byCategory: Readonly<Record<string, number>>;
      };
      readonly force: {
        readonly name: string;
        readonly total: number | null;
        readonly monthlyTotals: Readonly<Record<string, number>> | null;
        readonly byCategory: Readonly<Record<string, number>> | null;
      };
      readonly nation: {
        readonly name: string;
        readonly forces: readonly string[];
        readonly missing: readonly string[];
        readonly total: number | null;
        readonly monthlyTotals: Readonly<Record<string, number>> | null;
        readonly byCategory: Readonly<Record<string, number>> | null;
      };
      readonly lacking: readonly string[];
    };
  };
  readonly '/area/sold-prices': {
    readonly area: string;
    readonly outcode?: string;
    readonly sector?: string;
    readonly postcode: string | null;
    readonly street: string | null;
    readonly period: string;
    readonly totalResults: number;
    readonly returned: number;
    readonly offset: number;
    readonly summary: {
      readonly averagePrice: number;
      readonly medianPrice: number;
      readonly priceRange: {
        readonly min: number;
        readonly max: number;
      };
      readonly byPropertyType: Readonly<Record<string, {
        readonly count: number;
        readonly avgPrice: number;
      }>>;
      readonly quartiles?: {
        readonly lower: number;
        readonly upper: number;
      };
    };
    readonly properties: readonly ({
      readonly address: string;
      readonly postcode: string;
      readonly price: number;
      readonly date: string;
      readonly propertyType: 'D' | 'S' | 'T' | 'F' | 'O';
      readonly newBuild: boolean;
      readonly estateType: 'Freehold' | 'Leasehold' | null;
      readonly street: string;
      readonly town: string;
      readonly district: string;
      readonly county: string;
    })[];
    readonly positions?: readonly ({
      readonly postcode: string;
      readonly latitude: number | null;
      readonly longitude: number | null;
    })[];
    readonly trend?: readonly {
      readonly month: string;
      readonly count: number;
      readonly medianPrice: number;
      readonly byPropertyType: Readonly<Record<string, {
        readonly count: number;
        readonly medianPrice: number;
      }>>;
    }[];
  };
  readonly '/bank-rates': {
    readonly current: {
      readonly rate: number;
      readonly effectiveFrom: string;
      readonly label: string;
    };
    readonly rateChanges: readonly {
      readonly date: string;
      readonly rate: number;
    }[];
  };
  readonly '/area/sold-prices/trend': {
    readonly area: string;
    readonly outcode?: string;
    readonly sector?: string;
    readonly postcode: string | null;
    readonly street: string | null;
    readonly period: string;
    readonly from: string;
    readonly to: string;
    readonly totalResults: number;
    readonly months: readonly ({
      readonly month: string;
      readonly count: number | null;
      readonly lowerQuartile: number | null;
      readonly medianPrice: number | null;
      readonly upperQuartile: number | null;
    })[];
  };
  readonly '/area/places': {
    readonly postcode: string;
    readonly latitude: number | null;
    readonly longitude: number | null;
    readonly radiusMetres: number;
    readonly kinds: {
      readonly schools?: {
        readonly total: number | null;
        readonly lacking: string | null;
      };
      readonly stations?: {
        readonly total: number | null;
        readonly lacking: string | null;
      };
      readonly stops?: {
        readonly total: number | null;
        readonly lacking: string | null;
      };
      readonly amenities?: {
        readonly total: number | null;
        readonly lacking: string | null;
      };
    };
    readonly total: number | null;
    readonly returned: number;
    readonly offset: number;
    readonly places: readonly ({
      readonly kind: 'school' | 'station' | 'stop' | 'amenity';
      readonly category: string;
      readonly name: string | null;
      readonly code: string | null;
      readonly latitude: number;
      readonly longitude: number;
      readonly distanceMetres: number;
      readonly phase?: string;
      readonly rating?: string | null;
      readonly framework?: string | null;
      readonly inspectionDate?: string | null;
    })[];
  };
  readonly '/postcodes/lookup': {
    readonly postcode: string;
    readonly outcode: string;
    readonly terminated: string | null;
    readonly latitude: number | null;
    readonly longitude: number | null;
    readonly easting: number | null;
    readonly northing: number | null;
    readonly nation: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
    readonly region: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
    readonly county: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
    readonly authority: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
    readonly ward: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
    readonly lsoa: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
    readonly msoa: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
    readonly policeForce: {
      readonly code: string | null;
      readonly name: string | null;
    } | null;
  };
  readonly '/postcodes/near': {
    readonly latitude: number;
    readonly longitude: number;
    readonly radiusMetres: number;
    readonly postcodes: readonly ({
      readonly postcode: string;
      readonly distanceMetres: number;
      readonly latitude: number;
      readonly longitude: number;
      readonly authority: {
        readonly code: string | null;
        readonly name: string | null;
      } | null;
      readonly ward: {
        readonly code: string | null;
        readonly name: string | null;
      } | null;
    })[];
  };
  readonly '/postcodes/complete': {
    readonly suggestions: readonly ({
      readonly kind: 'postcode' | 'outcode' | 'authority' | 'region' | 'county' | 'ward';
      readonly name: string;
      readonly code: string | null;
      readonly within: string | null;
      readonly postcode: string;
      readonly latitude: number | null;
      readonly longitude: number | null;
    })[];
  };
  readonly '/account': {
    readonly accountId: string;
    readonly plan: 'trial' | 'basic' | 'standard' | 'premium' | 'enterprise';
    readonly mode: 'prepaid' | 'sandbox';
    readonly credits: {
      readonly total: number;
      readonly allowance: number;
      readonly lasting: number;
      readonly perMonth: number;
      readonly refreshAt: string | null;
    };
    readonly limits: {
      readonly minute: number | null;
      readonly day: number | null;
      readonly month: number | null;
    };
    readonly windows: {
      readonly minute: {
        readonly used: number;
        readonly limit: number | null;
        readonly resetsAt: string;
      };
      readonly day: {
        readonly used: number;
        readonly limit: number | null;
        readonly resetsAt: string;
      };
      readonly month: {
        readonly used: number;
        readonly limit: number | null;
        readonly resetsAt: string;
      };
    };
    readonly key: {
      readonly id: string;
      readonly kind: 'live' | 'test' | 'publishable' | 'web' | 'admin';
      readonly lastFour: string;
      readonly expiresAt: string | null;
    };
  };
  readonly '/account/usage': {
    readonly from: string;
    readonly to: string;
    readonly by: readonly ('day' | 'endpoint' | 'key' | 'status')[];
    readonly fictional: boolean;
    readonly total: {
      readonly calls: number;
      readonly credits: number;
    };
    readonly totalResults: number;
    readonly returned: number;
    readonly offset: number;
    readonly rows: readonly {
      readonly day?: string;
      readonly endpoint?: string;
      readonly key?: string;
      readonly status?: number;
      readonly calls: number;
      readonly credits: number;
    }[];
  };
};

/** Of a call that is answered. */
export const credits: Readonly<Record<keyof Answers, number>> = {
  '/area/statistics': 1,
  '/council-tax/lookup': 1,
  '/council-tax/property-lookup': 1,
  '/council-tax/property-candidates': 0,
  '/council-tax/authorities': 1,
  '/council-tax/authority-lookup': 1,
  '/crime/by-postcode': 1,
  '/area/sold-prices': 1,
  '/bank-rates': 1,
  '/area/sold-prices/trend': 1,
  '/area/places': 1,
  '/postcodes/lookup': 1,
  '/postcodes/near': 1,
  '/postcodes/complete': 0,
  '/account': 0,
  '/account/usage': 0,
};

/** Of the made-up town that the sandbox answers from: those worth a look. */
export const townPostcodes = ['ZZ1 1AA', 'ZZ1 1AB', 'ZZ1 2ZZ', 'ZZ2 9ZZ', 'ZZ3 1AA', 'ZZ4 1AA'] as const;
