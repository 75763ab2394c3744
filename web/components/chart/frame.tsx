// What every chart has around it: its title, a place to draw in that the arrow keys move through, each point in words, keys, and
// behind it the same numbers as a table and as files. uPlot is fetched when the first chart appears.

import type { ComponentChildren, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isTouched } from '../../touch.ts';
import { Button } from '../button.tsx';
import { Disclosure } from '../disclosure.tsx';
import { fileName, saveFile } from '../save-file.ts';
import { dashOf, shapeOf } from './brush.ts';
import type { Drawing } from './drawing.ts';
import type { Plot } from './plot.ts';

type FrameWish = {
  readonly title: string;
  /** One sentence below the title. */
  readonly note?: ComponentChildren;
  readonly drawing: Drawing;
  /** All that is drawn: when it changes, the chart is drawn anew. */
  readonly meaning: string;
  readonly heightPixels?: number;
  /** Of the point at which the reader is. */
  readonly words: (at: number) => string;
  readonly keys: 'squares' | 'lines' | 'shapes';
  readonly table: () => ComponentChildren;
  /** Text of the table. */
  readonly csv?: () => string;
  /** What a chart beside it hatches: a key here would take as much room. */
  readonly hatchedBeside?: readonly string[];
};

export function ChartFrame({
  title,
  note,
  drawing,
  meaning,
  heightPixels = 240,
  words,
  keys,
  table,
  csv,
  hatchedBeside = [],
}: FrameWish) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const [at, setAt] = useState<number | undefined>(undefined);
  // Where the keys are: they may be there before the plot is.
  const byKeys = useRef<number | undefined>(undefined);
  // `meaning` has all that is drawn.
  useEffect(() => {
    let isGone = false;
    setAt(undefined);
    byKeys.current = undefined;
    void Promise.all([import('./plot.ts'), idle()]).then(([{ drawPlot }]) => {
      if (isGone || place.current === null) return;
      plot.current = drawPlot(place.current, { drawing, heightPixels, onPoint: setAt });
      if (byKeys.current !== undefined) plot.current.pointTo(byKeys.current);
    });
    return () => {
      isGone = true;
      plot.current?.remove();
      plot.current = undefined;
    };
  }, [meaning, heightPixels]);
  const pointTo = (next: number | undefined) => {
    byKeys.current = next;
    plot.current?.pointTo(next);
  };
  const move = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const next = pointAfter(event.key, at, drawing.xs.length);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    pointTo(next);
  };
  const isSeveral = drawing.names.length > 1;
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      {note === undefined ? null : <p class="chart-note">{note}</p>}
      {isSeveral ? <Keys names={drawing.names} look={keys} isDirect={drawing.ends.length > 0} /> : null}
      {/* biome-ignore lint/a11y/useSemanticElements: no element is a chart that is moved through. */}
      <div
        class="chart-place"
        style={{ height: `${heightPixels}px` }}
        ref={place}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move through it.
        tabIndex={0}
        role="group"
        aria-roledescription="chart"
        aria-label={isTouched() ? title : `${title}. The arrow keys move through it.`}
        onKeyDown={move}
        onBlur={() => pointTo(undefined)}
      />
      <HatchKeys drawing={drawing} beside={hatchedBeside} />
      <p class={isSeveral && keys !== 'shapes' ? 'chart-point of-several' : 'chart-point'} aria-live="polite">
        {at === undefined ? '' : words(at)}
      </p>
      <Behind title={title} table={table}>
        <Files place={place} drawing={drawing} title={title} csv={csv} />
      </Behind>
    </figure>
  );
}

/** Words and tables of the page come first: the room for a chart is kept, and its table has the same numbers. */
const idle = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: 500 });
    else setTimeout(resolve);
  });

type FilesWish = Pick<FrameWish, 'drawing' | 'title'> & {
  /** Has the colours of the page. */
  readonly place: RefObject<HTMLElement | null>;
  readonly csv: FrameWish['csv'];
};

function Files({ place, drawing, title, csv }: FilesWish) {
  const save = async (ending: 'png' | 'svg') => {
    const { pngOf, svgOf } = await import('./files.ts');
    if (place.current === null) return;
    const picture = ending === 'png' ? pngOf : svgOf;
    saveFile(`${fileName(title)}.${ending}`, await picture(place.current, drawing, title));
  };
  const saveTable = (text: string) =>
    saveFile(`${fileName(title)}.csv`, new Blob([text], { type: 'text/csv' }));
  return (
    <>
      <Button size="small" label={`Save as PNG: ${title}`} onPress={() => save('png')}>
        PNG
      </Button>
      <Button size="small" label={`Save as SVG: ${title}`} onPress={() => save('svg')}>
        SVG
      </Button>
      {csv === undefined ? null : (
        <Button size="small" label={`Save as CSV: ${title}`} onPress={() => saveTable(csv())}>
          CSV
        </Button>
      )}
    </>
  );
}

function Behind({
  title,
  table,
  children,
}: {
  readonly title: string;
  readonly table: () => ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <Disclosure
      class="chart-table"
      summary={
        <>
          As a table or a file<span class="unseen">: {title}</span>
        </>
      }
    >
      {() => (
        <>
          <div class="chart-files">{children}</div>
          {table()}
        </>
      )}
    </Disclosure>
  );
}

type KeysWish = {
  readonly names: readonly string[];
  readonly look: FrameWish['keys'];
  /** Names stand at their lines where there is room. */
  readonly isDirect: boolean;
};

function Keys({ names, look, isDirect }: KeysWish) {
  return (
    <ul class={isDirect ? 'chart-keys direct' : 'chart-keys'}>
      {names.map((name, at) => (
        <li key={name} style={{ color: `var(--series-${at + 1})` }}>
          {look === 'squares' ? (
            <span class="chart-key" aria-hidden="true" />
          ) : (
            <svg width="26" height="12" viewBox="0 0 26 12" aria-hidden="true">
              {look === 'lines' ? (
                <path
                  d="M0 6H26"
                  fill="none"
                  stroke="currentColor"
                  stroke-width="2"
                  stroke-dasharray={dashOf(at).join(' ')}
                />
              ) : null}
              <path d={shapeOf(at, [13, 6], 3.5)} fill="currentColor" />
            </svg>
          )}
          <span class="chart-name">{name}</span>
        </li>
      ))}
    </ul>
  );
}

type HatchKeysWish = Pick<FrameWish, 'drawing'> & { readonly beside: readonly string[] };

/** What hatching means, each meaning once. It stands below the chart, so that charts side by side begin in one line. */
function HatchKeys({ drawing: { hatches }, beside }: HatchKeysWish) {
  const meanings = [...new Set(hatches.map(({ words }) => words))];
  if (meanings.length > 0) return <HatchKeyList meanings={meanings} look="seen" />;
  return beside.length === 0 ? null : <HatchKeyList meanings={beside} look="room alone" />;
}

type HatchKeyListWish = { readonly meanings: readonly string[]; readonly look: 'seen' | 'room alone' };

function HatchKeyList({ meanings, look }: HatchKeyListWish) {
  return (
    <ul class={look === 'seen' ? 'chart-keys hatch-keys' : 'chart-keys hatch-keys room-alone'}>
      {meanings.map((words) => (
        <li key={words}>
          <span class="chart-hatch" aria-hidden="true" />
          <span class="chart-name">
            {words.slice(0, 1).toUpperCase()}
            {words.slice(1)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function pointAfter(key: string, at: number | undefined, count: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  const far = Math.max(2, Math.round(count / 10));
  switch (key) {
    case 'ArrowLeft':
      return at === undefined ? last : Math.max(0, at - 1);
    case 'ArrowRight':
      return at === undefined ? 0 : Math.min(last, at + 1);
    case 'PageUp':
      return at === undefined ? last : Math.max(0, at - far);
    case 'PageDown':
      return at === undefined ? 0 : Math.min(last, at + far);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
