// Loaded before a generator of clients: TypeScript 7, which checks this project, has no interface for programs, and
// generators write by that of TypeScript 5.

import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
