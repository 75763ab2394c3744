// Roles in the words of whoever has to choose one.

import type { Role } from '../../src/people/people.ts';

export const roleOptions = [
  { value: 'owner', label: 'Owner', hint: 'Everything, including people and closing the account.' },
  {
    value: 'developer',
    label: 'Developer',
    hint: 'Keys, and calls from these pages. Reads the rest, but not the audit log.',
  },
  { value: 'billing', label: 'Billing', hint: 'The plan. Reads the rest, but not the audit log.' },
  { value: 'reader', label: 'Reader', hint: 'Reads everything but the audit log. Changes nothing.' },
] as const satisfies readonly { readonly value: Role; readonly label: string; readonly hint: string }[];

export const roleText = (role: Role): string =>
  roleOptions.find(({ value }) => value === role)?.label ?? role;
