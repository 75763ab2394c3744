// How an answer tells what Ofsted found in a school.

import { formatDay } from '../../uk/calendar.ts';
import type { Rating } from '../../uk/ofsted.ts';

export function describeRating(rating: Rating | null) {
  const isLabelled = rating !== null && rating.label !== '';
  return {
    rating: isLabelled ? `${rating.label}${rating.isOfPredecessor ? ' (predecessor school)' : ''}` : null,
    framework: rating?.framework ?? null,
    inspectionDate: typeof rating?.day === 'number' ? formatDay(rating.day) : null,
  };
}
