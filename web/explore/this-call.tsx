// "This call": the request that made a panel, for a terminal and two languages, with its cost. Whoever copies it gets the figures of
// the page.

import { useState } from 'preact/hooks';
import { credits } from '../api/answers.ts';
import { type ApiCall, targetOf } from '../api/call.ts';
import { Code } from '../components/parts.tsx';
import { apiOrigin, sandboxKey } from '../document-facts.ts';
import { creditsText } from '../formats.ts';
import { usePayer } from './payer.ts';

const languages = ['curl', 'TypeScript', 'Python'] as const;
type Language = (typeof languages)[number];

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
          {languages.map((each) => (
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
          text={wordsIn(language, `${apiOrigin}${targetOf(call)}`, key)}
          label={`This call in ${language}`}
          copy="the call"
        />
      </div>
    </details>
  );
}

/** Without a key it reads one from the environment. */
function wordsIn(language: Language, url: string, key: string | undefined): string {
  switch (language) {
    case 'curl':
      return `curl -H ${key === undefined ? '"X-API-Key: $DOMESDAY_KEY"' : `'X-API-Key: ${key}'`} \\\n  '${url}'`;
    case 'TypeScript':
      return [
        `const response = await fetch(`,
        `  '${url}',`,
        `  { headers: { 'X-API-Key': ${key === undefined ? 'process.env.DOMESDAY_KEY' : `'${key}'`} } },`,
        `);`,
        `const body = await response.json();`,
      ].join('\n');
    case 'Python':
      return [
        ...(key === undefined ? ['import os'] : []),
        'import requests',
        '',
        'response = requests.get(',
        `    "${url}",`,
        `    headers={"X-API-Key": ${key === undefined ? 'os.environ["DOMESDAY_KEY"]' : `"${key}"`}},`,
        ')',
        'body = response.json()',
      ].join('\n');
  }
}
