// What charts are made of, for any values: round axes, bins that lose nobody, the nearest point, gaps that are never drawn as zero.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { binsOf } from '../../web/components/chart/bins.ts';
import {
  type Drawing,
  drawingOf,
  type Mark,
  nearestAmong,
  scatterOf,
} from '../../web/components/chart/drawing.ts';
import { paintPicture } from '../../web/components/chart/picture.ts';
import { roundNumbers, timeTicks } from '../../web/components/chart/scales.ts';
import { svgSheet } from '../../web/components/chart/svg-brush.ts';
import { csvText } from '../../web/formats.ts';

const prices = fc.array(fc.integer({ min: 1, max: 30_000_000 }), { maxLength: 600, size: 'max' });

test('an axis has round labels at even steps, from below the least to above the most', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e9, noNaN: true }),
      fc.integer({ min: 1, max: 12 }),
      (least, wide, count) => {
        // No chart is of digits that a number hardly has.
        const span = Math.max(wide, Math.abs(least) / 1e4);
        const most = least + span;
        const numbers = roundNumbers(least, most, count);
        const slack = span * 1e-6;
        assert.ok((numbers[0] ?? Number.NaN) <= least + slack, `${numbers[0]} above ${least}`);
        assert.ok((numbers.at(-1) ?? Number.NaN) >= most - slack, `${numbers.at(-1)} below ${most}`);
        assert.ok(
          numbers.length <= count + 3,
          `${numbers.length} labels where about ${count} were wished for`,
        );
        const step = (numbers[1] ?? 0) - (numbers[0] ?? 0);
        const digits = (step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toPrecision(3);
        assert.match(digits, /^(1|2|5|10)(\.0+)?$/, `a step of ${step}`);
      },
    ),
  );
});

test('an axis of time names months or years, in order, no more than fit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2060, 0) }),
      fc.integer({ min: 86_400_000 * 40, max: 86_400_000 * 365 * 80 }),
      fc.integer({ min: 2, max: 14 }),
      (from, span, most) => {
        const ticks = timeTicks(from, from + span, most);
        assert.ok(ticks.length <= most, `${ticks.length} of at most ${most}`);
        for (const [at, tick] of ticks.entries()) {
          assert.ok(tick.at >= from && tick.at <= from + span);
          assert.ok(at === 0 || tick.at > (ticks[at - 1]?.at ?? 0));
          const day = new Date(tick.at);
          assert.equal(tick.at, Date.UTC(day.getUTCFullYear(), day.getUTCMonth()));
          const isYear = day.getUTCMonth() === 0;
          assert.match(tick.text, isYear ? /^\d{4}$/ : /^[A-Z][a-z]{2}$/);
          if (isYear) assert.equal(tick.text, String(day.getUTCFullYear()));
        }
      },
    ),
  );
});

test('every value lies in one bin, and bins count as counting by hand does', () => {
  fc.assert(
    fc.property(prices, fc.integer({ min: 4, max: 20 }), (values, wanted) => {
      const bins = binsOf(values, wanted);
      assert.equal(
        bins.reduce((sum, { count }) => sum + count, 0),
        values.length,
      );
      for (const [at, { from, to, count }] of bins.entries()) {
        const naive = values.filter((value) => value >= from && (to === undefined || value < to)).length;
        assert.equal(count, naive, `from ${from} to ${to}`);
        assert.ok(to !== undefined || at === bins.length - 1, 'only the last is open');
        if (at > 0) assert.equal(from, bins[at - 1]?.to, 'one begins where the other ends');
      }
    }),
  );
});

test('the nearest of any points is found, and none beyond reach', () => {
  const place = fc.tuple(fc.integer({ min: -50, max: 160 }), fc.integer({ min: -50, max: 160 }));
  fc.assert(
    fc.property(
      fc.array(place, { maxLength: 200, size: 'max' }),
      place,
      fc.integer({ min: 0, max: 90 }),
      (points, at, reach) => {
        const found = nearestAmong(points)(at, reach);
        const distances = points.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
        const least = Math.min(...distances);
        assert.equal(found, least <= reach ? distances.indexOf(least) : undefined);
      },
    ),
  );
});

const maybe = fc.option(fc.integer({ min: 0, max: 1000 }));
const wishes = fc
  .record({
    count: fc.integer({ min: 1, max: 30 }),
    lists: fc.integer({ min: 1, max: 4 }),
    kind: fc.constantFrom('bars', 'line', 'step'),
    arranged: fc.constantFrom('stacked', 'grouped'),
  })
  .chain(({ count, lists, kind, arranged }) =>
    fc.record({
      kind: fc.constant(kind),
      arranged: fc.constant(arranged),
      labels: fc.constant(Array.from({ length: count }, (_, at) => `label ${at}`)),
      series: fc.array(
        fc.record({
          name: fc.string({ minLength: 1, maxLength: 8 }),
          values: fc.array(maybe, { minLength: count, maxLength: count }),
        }),
        { minLength: lists, maxLength: lists },
      ),
      along: fc.constant(undefined),
      axisText: fc.constant(String),
      hatched: fc.constant(new Map<number, string>()),
    }),
  );

/** Whether a drawing shows a value of a series at a point. */
const isShownAt = (marks: readonly Mark[], series: number, x: number): boolean =>
  marks.some((mark) => mark.series === series && isAt(mark, x));

function isAt(mark: Mark, x: number): boolean {
  switch (mark.kind) {
    case 'bar':
      return mark.from < x + 0.5 && mark.to > x - 0.5;
    case 'dot':
      return mark.x === x;
    case 'line':
    case 'area':
      return mark.points.some(([each]) => each === x);
  }
}

test('what is not known is not drawn, and what is known is, zero too', () => {
  fc.assert(
    fc.property(wishes, (wish) => {
      const { marks } = drawingOf(wish);
      for (const [series, { values }] of wish.series.entries())
        for (const [x, value] of values.entries()) {
          assert.equal(isShownAt(marks, series, x), value !== null, `series ${series} at ${x}`);
        }
    }),
  );
});

test('bars that stand on each other are as high together as their sum; all lie within the axis', () => {
  fc.assert(
    fc.property(wishes, (wish) => {
      const { marks, yRange } = drawingOf({ ...wish, kind: 'bars', arranged: 'stacked' });
      for (const x of wish.labels.keys()) {
        const sum = wish.series.reduce((total, { values }) => total + (values[x] ?? 0), 0);
        const bars = marks.filter((mark) => mark.kind === 'bar' && mark.from < x && mark.to > x);
        const tops = bars.map((mark) => (mark.kind === 'bar' ? mark.high : 0));
        assert.equal(Math.max(0, ...tops), sum);
        assert.ok(sum <= yRange[1]);
      }
    }),
  );
});

test('a value that stands apart is a dot: no line reaches it and no band surrounds it, beside the others as usual', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ value: fc.option(fc.integer({ min: 0, max: 9 })), isApart: fc.boolean() }), {
        maxLength: 30,
      }),
      (points) => {
        const values = points.map(({ value }) => value);
        const apart = points.flatMap(({ isApart }, at) => (isApart ? [at] : []));
        const band = { lowerName: 'Low', lower: values, upperName: 'High', upper: values };
        const { marks } = drawingOf({
          labels: values.map(String),
          series: [{ name: 'Median', values, apart, band }],
          kind: 'line',
          arranged: 'stacked',
          along: undefined,
          axisText: String,
          hatched: new Map(),
        });
        const reached = (kind: Mark['kind'], at: number) =>
          marks.filter((mark) => mark.kind === kind && isAt(mark, at)).length;
        for (const [at, { value, isApart }] of points.entries()) {
          const isKnown = value !== null;
          assert.equal(isShownAt(marks, 0, at), isKnown, `point ${at}`);
          if (!isKnown || !isApart) continue;
          assert.deepEqual([reached('dot', at), reached('line', at), reached('area', at)], [1, 0, 0]);
        }
        // Two neighbours that are not apart are joined.
        for (const [at, { value, isApart }] of points.entries()) {
          const next = points[at + 1];
          if (value === null || isApart || next === undefined || next.value === null || next.isApart)
            continue;
          assert.ok(
            marks.some((mark) => mark.kind === 'line' && isAt(mark, at) && isAt(mark, at + 1)),
            `${at} and the next`,
          );
        }
      },
    ),
  );
});

test('a step holds until the next change and to the end of what is shown', () => {
  const drawing = drawingOf({
    labels: ['a', 'b', 'c'],
    series: [{ name: 'Rate', values: [5, 2, 3] }],
    kind: 'step',
    arranged: 'stacked',
    along: { kind: 'time', at: [0, 100, 300], range: [50, 400] },
    axisText: String,
    hatched: new Map(),
  });
  assert.deepEqual(
    drawing.marks.map((mark) => (mark.kind === 'line' ? mark.points : [])),
    [
      [
        [50, 5],
        [100, 5],
        [100, 2],
        [300, 2],
        [300, 3],
        [400, 3],
      ],
    ],
  );
  assert.equal(drawing.meant, 'before', 'between two changes the earlier is in force');
});

test('every point of a scatter is drawn once; what lies far above stands at the edge and is counted', () => {
  fc.assert(
    fc.property(prices, (values) => {
      const points = values.map((value, at) => ({ atMs: at * 1000, value, group: at % 3, words: () => '' }));
      const { drawing, edge, above } = scatterOf(points, ['a', 'b', 'c'], String);
      assert.equal(drawing.marks.length, values.length);
      assert.equal(above, values.filter((value) => value > edge).length);
      for (const [at, mark] of drawing.marks.entries())
        assert.deepEqual(mark, {
          kind: 'dot',
          series: at % 3,
          x: at * 1000,
          y: Math.min(values[at] ?? 0, edge),
        });
    }),
  );
});

const palette = {
  series: ['#111111', '#222222', '#333333', '#444444', '#555555', '#666666'],
  names: ['#111112', '#222223', '#333334', '#444445', '#555556', '#666667'],
  ink: '#000000',
  soft: '#777777',
  rule: '#dddddd',
  line: '#888888',
  sheet: '#ffffff',
};

const svgTextOf = (drawing: Drawing, title: string): string => {
  const sheet = svgSheet(960, 480, palette.sheet, title, 'sans-serif');
  paintPicture(sheet.brush, drawing, title, palette);
  return sheet.text();
};

test('an SVG has a shape for every bar, and any name as text', () => {
  fc.assert(
    fc.property(wishes, fc.string(), (wish, title) => {
      const drawing = drawingOf({ ...wish, kind: 'bars' });
      const text = svgTextOf(drawing, title);
      const bars = text.match(/<path d="[^"]*z" fill="#(111111|222222|333333|444444)"\/>/g) ?? [];
      assert.equal(bars.length, drawing.marks.length);
      // No character of a name ends a tag or an attribute.
      assert.equal(
        text.replaceAll(/<(?:path|text|rect|svg|title|\/text|\/title|\/svg)\b[^<>]*>/g, '').search(/[<>]/),
        -1,
      );
    }),
  );
});

test('names at the ends of lines are written in the colours for letters, lines drawn in their own', () => {
  const drawing = drawingOf({
    labels: ['a', 'b'],
    series: [
      { name: 'Here', values: [5, 2] },
      { name: 'There', values: [1, 3] },
    ],
    kind: 'line',
    arranged: 'stacked',
    along: undefined,
    axisText: String,
    hatched: new Map(),
  });
  const text = svgTextOf(drawing, 'Two lines');
  for (const [at, name] of ['Here', 'There'].entries()) {
    const [words = assert.fail(`${name} is not named`)] =
      text.match(new RegExp(`<text\\b[^>]*>${name}<`)) ?? [];
    assert.ok(words.includes(`fill="${palette.names[at]}"`), words);
    assert.ok(text.includes(`stroke="${palette.series[at]}"`), name);
  }
});

test('a table of a chart is read again as it was', () => {
  const cell = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
  const row = fc.array(cell, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 10 }), (rows) => {
      const said = rows.map((cells) => cells.map((each) => (each === null ? '' : String(each))));
      assert.deepEqual(csvRows(csvText(rows)), said);
    }),
  );
});

/** Read letter by letter, as RFC 4180 says. */
function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === ',') {
      row.push(cell);
      cell = '';
    } else if (letter === '\r' && text.charAt(at + 1) === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
      at += 1;
    } else cell += letter;
  }
  return rows;
}
