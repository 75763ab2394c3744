// The national grid against the Ordnance Survey's published points.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distanceMetres, gridToLatLong, latLongToGrid } from '../../src/uk/grid.ts';

// Ordnance Survey, OSTN15/OSGM15 developer pack, OSTN15_OSGM15_TestInput_ETRStoOSGB.txt and its TestOutput:
// point, ETRS89 latitude and longitude, OSGB36 easting and northing. © Crown copyright, Ordnance Survey 2016.
const ostn15Points: readonly (readonly [string, number, number, number, number])[] = [
  ['TP01', 49.9222639373, -6.29977752014, 91492.146, 11318.804],
  ['TP02', 49.9600613782, -5.20304609998, 170370.718, 11572.405],
  ['TP03', 50.4388582561, -4.10864563561, 250359.811, 62016.569],
  ['TP04', 50.57563665, -1.2978227724, 449816.371, 75335.861],
  ['TP05', 50.9312793791, -1.450514337, 438710.92, 114792.25],
  ['TP06', 51.4007822014, -3.5512834924, 292184.87, 168003.465],
  ['TP07', 51.3744702555, 1.44454730409, 639821.835, 169565.858],
  ['TP08', 51.4275474302, -2.54407618349, 362269.991, 169978.69],
  ['TP09', 51.4893656495, -0.1199255718, 530624.974, 178388.464],
  ['TP10', 51.858908964, -4.3085247696, 241124.584, 220332.641],
  ['TP11', 51.8943663735, 0.89724327012, 599445.59, 225722.826],
  ['TP12', 52.2552938163, -2.15458614387, 389544.19, 261912.153],
  ['TP13', 52.2516095123, -0.9124895697, 474335.969, 262047.755],
  ['TP14', 52.7513668717, 0.40153547065, 562180.547, 319784.995],
  ['TP15', 52.9621910941, -1.19747655922, 454002.834, 340834.943],
  ['TP16', 53.3448028019, -2.6404932081, 357455.843, 383290.436],
  ['TP17', 53.4162851604, -4.28918069756, 247958.971, 393492.909],
  ['TP18', 53.4163092542, -4.28917792869, 247959.241, 393495.583],
  ['TP19', 53.7791102576, -3.04045490691, 331534.564, 431920.794],
  ['TP20', 53.8002151963, -1.66379168242, 422242.186, 433818.701],
  ['TP21', 54.0866631808, -4.63452168212, 227778.33, 468847.388],
  ['TP22', 54.1168514429, -0.07773133187, 525745.67, 470703.214],
  ['TP23', 54.3291954101, -4.38849118133, 244780.636, 495254.887],
  ['TP24', 54.8954234042, -2.93827741149, 339921.145, 556034.761],
  ['TP25', 54.9791227366, -1.61657685184, 424639.355, 565012.703],
  ['TP26', 55.8539995295, -4.29649016251, 256340.925, 664697.269],
  ['TP27', 55.9247826551, -3.29479219337, 319188.434, 670947.534],
  ['TP28', 57.0060669605, -5.8283669185, 167634.202, 797067.144],
  ['TP29', 57.1390251896, -2.04856030746, 397160.491, 805349.736],
  ['TP30', 57.4862500072, -4.21926398555, 267056.768, 846176.972],
  ['TP31', 57.8135183841, -8.57854456076, 9587.909, 899448.996],
  ['TP32', 58.2126224718, -7.59255560556, 71713.132, 938516.404],
  ['TP33', 58.515603613, -6.26091455533, 151968.652, 966483.78],
  ['TP34', 58.5812046128, -3.72631022121, 299721.891, 967202.992],
  ['TP35', 59.0374387119, -3.21454001115, 330398.323, 1017347.016],
  ['TP36', 59.0933503532, -4.41757674598, 261596.778, 1025447.602],
  ['TP37', 59.096716174, -5.82799339844, 180862.461, 1029604.114],
  ['TP38', 59.5347079449, -1.62516966058, 421300.525, 1072147.239],
  ['TP39', 59.8540991389, -1.27486910356, 440725.073, 1107878.448],
  ['TP40', 60.1330809166, -2.07382822798, 395999.668, 1138728.951],
];

// ONSPD June 2023 and August 2024: postcode, oseast1m, osnrth1m, lat, long. In these editions ONS itself changed
// datum by the seven parameters, so they check our arithmetic to centimetres, which OSTN15 points cannot.
const onspdRows: readonly (readonly [string, number, number, number, number])[] = [
  ['AB1 0AA', 385386, 801193, 57.101474, -2.242851],
  ['AB1 0AB', 385177, 801314, 57.102554, -2.246308],
  ['AL1 1AA', 514600, 206900, 51.749084, -0.341337],
  ['AL1 1AB', 517328, 206823, 51.747828, -0.301865],
];

// Worked out by an independent program, proj4 2.22.0, from the same constants: easting, northing, lat, long.
const proj4Points: readonly (readonly [number, number, number, number])[] = [
  [651409.903, 313177.27, 52.657978607, 1.716051946],
  [91492.146, 11318.804, 49.922269975, -6.299712297],
  [440725.073, 1107878.448, 59.854093547, -1.274865441],
];

test('a grid reference lands within 5 m of every point Ordnance Survey published for OSTN15', () => {
  for (const [id, latitude, longitude, easting, northing] of ostn15Points) {
    const found = gridToLatLong(easting, northing);
    const errorMetres = distanceMetres(latitude, longitude, found.latitudeDegrees, found.longitudeDegrees);
    assert.ok(errorMetres < 5, `${id}: ${errorMetres} m`);
  }
});

test('half of the OSTN15 points are met within 2 m', () => {
  const errorsMetres = ostn15Points
    .map(([, latitude, longitude, easting, northing]) => {
      const found = gridToLatLong(easting, northing);
      return distanceMetres(latitude, longitude, found.latitudeDegrees, found.longitudeDegrees);
    })
    .sort((a, b) => a - b);
  const median = errorsMetres[20];
  assert.ok(median !== undefined && median < 2, `median ${median} m`);
});

test('a latitude and longitude land within 5 m of the published grid reference', () => {
  for (const [id, latitude, longitude, easting, northing] of ostn15Points) {
    const found = latLongToGrid(latitude, longitude);
    const errorMetres = Math.hypot(found.eastingMetres - easting, found.northingMetres - northing);
    assert.ok(errorMetres < 5, `${id}: ${errorMetres} m`);
  }
});

test('the arithmetic agrees with the postcode directory to 10 cm', () => {
  for (const [postcode, easting, northing, latitude, longitude] of onspdRows) {
    const found = gridToLatLong(easting, northing);
    const errorMetres = distanceMetres(latitude, longitude, found.latitudeDegrees, found.longitudeDegrees);
    assert.ok(errorMetres < 0.1, `${postcode}: ${errorMetres} m`);
  }
});

test('the arithmetic agrees with an independent program to 2 mm', () => {
  for (const [easting, northing, latitude, longitude] of proj4Points) {
    const found = gridToLatLong(easting, northing);
    const errorMetres = distanceMetres(latitude, longitude, found.latitudeDegrees, found.longitudeDegrees);
    assert.ok(errorMetres < 0.002, `${easting} ${northing}: ${errorMetres} m`);
  }
});

test('there and back again is the same place to 2 cm, anywhere on the grid', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 700_000, noNaN: true }),
      fc.double({ min: 0, max: 1_250_000, noNaN: true }),
      (easting, northing) => {
        const there = gridToLatLong(easting, northing);
        const back = latLongToGrid(there.latitudeDegrees, there.longitudeDegrees);
        const errorMetres = Math.hypot(back.eastingMetres - easting, back.northingMetres - northing);
        assert.ok(errorMetres < 0.02, `${errorMetres} m`);
      },
    ),
  );
});

test('distances on the grid and on the globe agree to half a per cent', () => {
  // TP09 Lambeth to TP08 Brislington, from their published grid references.
  const onGridMetres = Math.hypot(530_624.974 - 362_269.991, 178_388.464 - 169_978.69);
  const foundMetres = distanceMetres(51.4893656495, -0.1199255718, 51.4275474302, -2.54407618349);
  assert.ok(Math.abs(foundMetres / onGridMetres - 1) < 0.005, `${foundMetres} m for ${onGridMetres} m`);
});

test('a degree of latitude is a 360th of the way round the Earth', () => {
  assert.ok(Math.abs(distanceMetres(51, -1, 52, -1) - (2 * Math.PI * 6_371_008.8) / 360) < 1e-6);
});

test('a distance is the same both ways, nothing to itself, and a number even across the whole Earth', () => {
  const latitude = fc.double({ min: -90, max: 90, noNaN: true });
  const longitude = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(
    fc.property(latitude, longitude, latitude, longitude, (lat1, lon1, lat2, lon2) => {
      assert.equal(distanceMetres(lat1, lon1, lat1, lon1), 0);
      const there = distanceMetres(lat1, lon1, lat2, lon2);
      assert.ok(Math.abs(there - distanceMetres(lat2, lon2, lat1, lon1)) < 1e-3);
      assert.ok(there >= 0 && there <= Math.PI * 6_371_008.8);
    }),
  );
  const acrossMetres = distanceMetres(-67.63554360937015, 0, 67.63554360937015, 180);
  assert.ok(Math.abs(acrossMetres - Math.PI * 6_371_008.8) < 1, `${acrossMetres} m`);
});

test('input that is no number gives no number, and ends', () => {
  assert.ok(Number.isNaN(gridToLatLong(Number.NaN, Number.NaN).latitudeDegrees));
  assert.ok(Number.isNaN(gridToLatLong(400_000, Number.POSITIVE_INFINITY).latitudeDegrees));
});
