// Pages of a person lie under /account as those of accounts do; these words are no ids.

const personPath = /^\/account\/(?:sign-in|sign-up|confirm|reset|invite|person)\/?$/;

export const isOfPerson = (path: string): boolean => personPath.test(path);
