// "This call": the request that made a panel, for a terminal and two languages, with its cost. Whoever copies it gets the figures of
// the page.

import { useState } from 'preact/hooks';
import { credits } from '../api/answers.ts';
import { type ApiCall, targetOf } from '../api/call.ts';
import { curlText, pythonText, typescriptText } from '../api/call-text.ts';
import { Code } from '../components/parts.tsx';
import { sandboxKey } from '../document-facts.ts';
import { creditsText } from '../formats.ts';
import { usePayer } from './payer.ts';

const languages = { curl: curlText, TypeScript: typescriptText, Python: pythonText };
type Language = keyof typeof languages;
const names: readonly Language[] = ['curl', 'TypeScript', 'Python'];

export function ThisCall({ call }: { readonly call: ApiCall }) {
  const payer = usePayer();
  const [language, setLanguage] = useState<Language>('curl');
  const cost = credits[call.path];
  const isFree = cost === 0 || payer.kind === 'sandbox';
  const key = payer.kind === 'sandbox' ? sandboxKey : undefined;
  return (
    <details class="this-call">
      <summary>
        This call <span class="soft">{isFree ? 'free' : creditsText(cost)}</span>
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
        <Code
          text={languages[language](targetOf(call), key)}
          label={`This call in ${language}`}
          copy="the call"
        />
      </div>
    </details>
  );
}
