// Every crime of a month from the loaded data, as /crime/by-postcode lists them.

import type { Crimes } from '../../tables/crime/crimes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { describeOutcome, type RawCrime } from './answer.ts';

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
