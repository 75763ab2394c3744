// The first code of every page, and little of it: it asks who is signed in, while the page itself is on its way.

import { askMeAhead } from './ask-me.ts';

void askMeAhead();

try {
  await import('./app.tsx');
} catch (fault) {
  // After an update the service has files by other names than this document knows.
  if (!(fault instanceof TypeError)) throw fault;
  reportError(fault);
  document.body.append('This page could not be loaded. Load it again.');
}
