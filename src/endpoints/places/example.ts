// The example of /area/places in the documentation: what the fictional town answers, which a test holds it to. Made by
// scripts/examples.ts.

export const placesExample = {
  postcode: 'ZZ1 1AA',
  latitude: 54.180581,
  longitude: 0.909995,
  radiusMetres: 800,
  kinds: {
    schools: { total: 6, lacking: null },
    stations: { total: 3, lacking: null },
    stops: { total: 4, lacking: null },
    amenities: { total: 33, lacking: null },
  },
  total: 46,
  returned: 3,
  offset: 0,
  places: [
    {
      kind: 'stop',
      category: 'bus-on-street',
      name: 'Anchor Street',
      code: '9990ZB0001',
      latitude: 54.181101,
      longitude: 0.910798,
      distanceMetres: 78,
    },
    {
      kind: 'amenity',
      category: 'park',
      name: 'Gull Meadow 1',
      code: null,
      latitude: 54.181076,
      longitude: 0.912225,
      distanceMetres: 155,
    },
    {
      kind: 'amenity',
      category: 'convenience-store',
      name: 'Corner Store 1 2',
      code: null,
      latitude: 54.180243,
      longitude: 0.912452,
      distanceMetres: 164,
    },
  ],
} as const;
