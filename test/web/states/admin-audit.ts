// Changes outside accounts, as operators see them.

import type { AuditLine } from '../../../src/people/people.ts';
import type { Answers } from '../answers.ts';
import { operator, type State, state } from '../state.ts';

const line = (at: number, more: Partial<AuditLine> = {}): AuditLine => ({
  auditId: `aud_${at}`,
  atMs: Date.UTC(2026, 10, 16, 9, 30) - at * 5_000_000,
  who: `person${at}@example.com`,
  what: ['person.confirmed', 'member.invited', 'person.standing-changed', 'password.changed'][at % 4] ?? '',
  subject: `person${at}@example.com`,
  detail: at % 4 === 2 ? 'operator' : null,
  address: at % 4 === 2 ? null : '203.0.113.9',
  ...more,
});

const answers = (lines: readonly AuditLine[], before: string | null = null): Answers => ({
  ...operator,
  'GET /portal/admin/plan-requests': { requests: [] },
  'GET /portal/admin/audit': { lines, before },
});

export const auditStates: readonly State[] = [
  state('admin-audit', '/admin/audit', 'Standing changed', answers([0, 1, 2, 3].map((at) => line(at)))),
  state('admin-audit-empty', '/admin/audit', 'No changes yet', answers([])),
  state(
    'admin-audit-much-data',
    '/admin/audit',
    'Show older ones',
    answers(
      Array.from({ length: 40 }, (_, at) =>
        line(at, { subject: `${'a-very-long-name.'.repeat(5)}@example.com` }),
      ),
      'aud_40',
    ),
  ),
];
