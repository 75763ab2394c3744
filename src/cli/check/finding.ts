// What `domesday check` finds: the same form from every part of it.

export type Finding = {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly subject: string;
  readonly finding: string;
  readonly advice?: string;
};
