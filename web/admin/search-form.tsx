// A search by words, sent by Enter or its button and kept in the address, so that the way back finds it again.

import { useState } from 'preact/hooks';
import { SubmitButton } from '../components/button.tsx';
import { Field } from '../components/form.tsx';

export function SearchForm({
  label,
  hint,
  words,
  onSearch,
}: {
  readonly label: string;
  readonly hint: string;
  /** What is searched for now. */
  readonly words: string;
  readonly onSearch: (words: string) => void;
}) {
  const [typed, setTyped] = useState(words);
  return (
    <search>
      <form
        class="search-line"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(typed.trim());
        }}
      >
        <Field type="search" label={label} hint={hint} value={typed} onValue={setTyped} maxLength={100} />
        <SubmitButton look="plain" busy={false}>
          Search
        </SubmitButton>
      </form>
    </search>
  );
}
