// The long lists of /crime/by-postcode from the loaded data: every crime of a month, and the points of a map.

import type { Crimes } from '../../tables/crime/crimes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { type Answer, describeOutcome, type RawCrime } from './answer.ts';

export function describeIncidents(
  crimes: Crimes,
  points: Uint32Array,
  reference: number,
  slug: string | undefined,
): readonly RawCrime[] {
  return crimes.incidentsIn(points, reference, slug).map((incident) => ({
    month: formatMonth(reference),
    category: incident.category,
    latitude: incident.latitudeDegrees,
    longitude: incident.longitudeDegrees,
    location: incident.location,
    context: incident.context,
    persistent_id: incident.id,
    location_subtype: '',
    ...describeOutcome(
      incident.outcome && {
        label: incident.outcome.label,
        month: incident.outcome.month === null ? '' : formatMonth(incident.outcome.month),
      },
    ),
  }));
}

export function describePoints(
  crimes: Crimes,
  points: Uint32Array,
  months: ReadonlySet<number>,
  slug: string | undefined,
): NonNullable<Answer['points']> {
  return crimes.pointCountsIn(points, months, slug).map((found) => ({
    latitude: found.latitudeDegrees,
    longitude: found.longitudeDegrees,
    location: found.location,
    count: found.count,
  }));
}
