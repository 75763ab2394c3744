// The search for a place: a field that completes postcodes, districts, places and authorities as they are typed. The pattern is
// the combobox of ARIA 1.2, so that it works by keyboard and is read out.

import { h, type LooseInputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { countText } from '../formats.ts';
import { navigate } from '../router.ts';
import { isTouched } from '../touch.ts';
import { type Paying, searchPayer } from './paying.ts';
import { type PlaceOption, pathOf, readSlug } from './place.ts';
import { type RecentPlace, useRecent } from './recent.ts';
import { useOptions } from './use-options.ts';

export type Searching = {
  readonly paying: Paying;
  /** Somebody came to the field. */
  readonly onWanted?: () => void;
};

type SearchWish = Searching & {
  readonly label: string;
  /** By its slug; without it the place is opened. */
  readonly onChoose?: (slug: string) => void;
  /** `at once`: the field was asked for, so that it can be typed into as soon as it is there. */
  readonly focus?: 'at once';
};

/** What can be shown without somebody who pays, and who that is may not be known. */
const placeholders = {
  finding: 'A postcode or place',
  nobody: 'ZZ1 1AA',
  payer: 'NP10 8WA or Newport',
  'to be asked': 'NP10 8WA or Newport',
} as const satisfies Record<Paying['kind'], string>;

type Row = { readonly slug: string; readonly title: string; readonly what: string };

const rowOf = ({ place, what }: PlaceOption): Row => ({ slug: place.slug, title: place.title, what });

export function PlaceSearch({ label, paying, onWanted, onChoose, focus }: SearchWish) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus === 'at once') input.current?.focus();
  }, [focus]);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const field = useField(paying);
  const { typed, rows, isOpen, active } = field;
  const choose = (slug: string) => {
    field.clear();
    setProblem(undefined);
    if (onChoose === undefined) navigate(pathOf({ slug }));
    else onChoose(slug);
  };
  const send = () => {
    const slug = field.meant();
    if (slug === undefined) setProblem(field.problem ?? whyNothing(typed, paying));
    else choose(slug);
  };
  const attributes: LooseInputHTMLAttributes = {
    id,
    ref: input,
    type: 'text',
    role: 'combobox',
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: false,
    enterkeyhint: 'search',
    placeholder: placeholders[paying.kind],
    'aria-expanded': isOpen,
    'aria-controls': `${id}-list`,
    'aria-autocomplete': 'list',
    ...(isOpen && active >= 0 ? { 'aria-activedescendant': `${id}-${active}` } : {}),
    ...(problem === undefined ? {} : { 'aria-describedby': `${id}-problem` }),
    value: typed,
    onFocus: () => {
      onWanted?.();
      field.open();
    },
    onBlur: field.close,
    onKeyDown: field.onKey,
    onInput: ({ currentTarget }) => {
      onWanted?.();
      setProblem(undefined);
      field.type(currentTarget.value);
    },
  };
  return (
    <search aria-label={label}>
      <form
        class="place-search"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label for={id}>{label}</label>
        <div class="with-button">
          <div class="combobox">
            {h('input', attributes)}
            <OptionList id={id} rows={isOpen ? rows : []} active={active} choose={choose} />
          </div>
          <button type="submit" class="button primary usual">
            Show
          </button>
        </div>
        <p class="unseen" role="status">
          {isOpen ? `${countText(rows.length, 'place')}${isTouched() ? '' : '; arrow keys to choose'}` : ''}
        </p>
        {problem === undefined ? null : (
          <p class="field-error" id={`${id}-problem`} role="alert">
            {problem}
          </p>
        )}
      </form>
    </search>
  );
}

/** What is typed, what it can mean, and what of it is marked. */
function useField(paying: Paying) {
  const [typed, setTyped] = useState('');
  const [list, setList] = useState<'open' | 'closed'>('closed');
  const [active, setActive] = useState(-1);
  const { places } = useRecent();
  const found = useOptions(typed, searchPayer(paying));
  const rows: readonly Row[] = typed.trim() === '' ? places : found.options.map(rowOf);
  const isOpen = list === 'open' && rows.length > 0;
  // Another text has another list.
  useEffect(() => setActive(-1), [found]);
  const move = (step: 1 | -1) => {
    setList('open');
    if (rows.length === 0) return;
    const from = active < 0 && step < 0 ? 0 : active;
    setActive((from + step + rows.length) % rows.length);
  };
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: () => (isOpen ? setList('closed') : setTyped('')),
  };
  return {
    typed,
    rows,
    isOpen,
    active,
    problem: found.problem,
    open: () => setList('open'),
    close: () => setList('closed'),
    clear: () => {
      setTyped('');
      setList('closed');
    },
    type: (text: string) => {
      setTyped(text);
      setList('open');
    },
    onKey: (event: KeyboardEvent) => {
      const act = acts[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    },
    /** The slug that Enter goes to. */
    meant: (): string | undefined => {
      const marked = rows[active] ?? (found.typed === typed ? exact(rows, typed) : undefined);
      if (marked !== undefined) return marked.slug;
      const meaning = readSlug(typed);
      if (meaning.kind === 'postcode') return meaning.place.slug;
      if (meaning.kind === 'outcode') return meaning.outcode;
      return typed.trim() === '' ? undefined : rows[0]?.slug;
    },
  };
}

type OptionListWish = {
  readonly id: string;
  readonly rows: readonly Row[];
  readonly active: number;
  readonly choose: (slug: string) => void;
};

/** The field keeps the focus; what is marked is told by its attribute. */
function OptionList({ id, rows, active, choose }: OptionListWish) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    shown.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label="Places"
      tabIndex={-1}
      hidden={rows.length === 0}
      ref={shown}
    >
      {rows.map(({ slug, title, what }, at) => (
        <div
          key={slug}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          // Before the field loses the focus and the list goes.
          onMouseDown={(event) => {
            event.preventDefault();
            choose(slug);
          }}
        >
          <span class="option-title">{title}</span> <span class="soft">{what}</span>
        </div>
      ))}
    </div>
  );
}

const exact = (rows: readonly Row[], typed: string): Row | undefined =>
  rows.find(({ title }) => title.toLowerCase() === typed.trim().toLowerCase());

function whyNothing(typed: string, paying: Paying): string {
  if (typed.trim() === '') return 'Type a postcode, such as ZZ1 1AA.';
  return paying.kind === 'nobody'
    ? `${paying.message} Try ZZ1 1AA.`
    : 'We found nothing with that name. Check the spelling, or try a postcode.';
}

export function RecentPlaces() {
  const { places, clear } = useRecent();
  if (places.length === 0) return null;
  return (
    <section class="recent" aria-labelledby="recent-title">
      <header class="part-head">
        <h2 id="recent-title">Recent places</h2>
        <button type="button" class="button plain small" onClick={clear}>
          Clear
        </button>
      </header>
      <PlaceLinks places={places} />
    </section>
  );
}

export function PlaceLinks({ places }: { readonly places: readonly RecentPlace[] }) {
  return (
    <ul class="place-links">
      {places.map(({ slug, title, what }) => (
        <li key={slug}>
          <a href={pathOf({ slug })}>
            <span class="option-title">{title}</span>
            <span class="soft">{what}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
