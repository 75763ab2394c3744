// "This call": the requests that made a panel, for a terminal and two languages, with what they cost. Whoever copies them gets the
// figures of the page.

import { useState } from 'preact/hooks';
import { type ApiPath, targetOf } from '../../api/call.ts';
import { curlText, pythonText, typescriptText } from '../../api/call-text.ts';
import { credits } from '../../api/credits.ts';
import { Code } from '../../components/parts.tsx';
import { sandboxKey } from '../../document-facts.ts';
import { countText, creditsText } from '../../formats.ts';
import { usePayer } from '../payer.ts';
import type { Called } from './use-call.ts';

const languages = { curl: curlText, TypeScript: typescriptText, Python: pythonText };
type Language = keyof typeof languages;
const names: readonly Language[] = ['curl', 'TypeScript', 'Python'];

export function ThisCall({ calls }: { readonly calls: readonly Called<ApiPath>[] }) {
  const payer = usePayer();
  const [language, setLanguage] = useState<Language>('curl');
  const cost = payer.kind === 'sandbox' ? 0 : calls.reduce((sum, called) => sum + costOf(called), 0);
  const key = payer.kind === 'sandbox' ? sandboxKey : undefined;
  return (
    <details class="this-call">
      <summary>
        {calls.length === 1 ? 'This call' : `These ${countText(calls.length, 'call')}`}{' '}
        <span class="soft">{cost === 0 ? 'free' : creditsText(cost)}</span>
      </summary>
      <div class="stack">
        <fieldset class="languages">
          <legend class="unseen">Language</legend>
          {names.map((each) => (
            <button
              key={each}
              type="button"
              class="button plain small"
              aria-pressed={each === language}
              onClick={() => setLanguage(each)}
            >
              {each}
            </button>
          ))}
        </fieldset>
        {calls.map(({ call }, at) => (
          <Code
            key={targetOf(call)}
            text={languages[language](targetOf(call), key)}
            label={
              calls.length === 1
                ? `This call in ${language}`
                : `Call ${at + 1} of ${calls.length} in ${language}`
            }
            copy="the call"
          />
        ))}
      </div>
    </details>
  );
}

/** What was charged; before that, the price. Refusals are free. */
function costOf(called: Called<ApiPath>): number {
  switch (called.kind) {
    case 'loading':
      return credits[called.call.path];
    case 'refused':
      return 0;
    case 'answered':
      return called.charged;
  }
}
