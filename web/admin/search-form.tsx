// A search by words, sent by Enter or its button and kept in the address, so that the way back finds it again.

import { Field, Form } from '../components/form.tsx';

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
  return (
    <search>
      <Form
        layout="line"
        submit="Search"
        look="plain"
        first={{ words }}
        onSend={async (typed) => ({ kind: 'told', told: typed.words.trim() })}
        onDone={onSearch}
      >
        {(field) => <Field type="search" label={label} hint={hint} maxLength={100} {...field('words')} />}
      </Form>
    </search>
  );
}
