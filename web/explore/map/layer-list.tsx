// A layer as a list: the same points in words, each with a button that shows it on the map.

import { useMemo } from 'preact/hooks';
import { Table } from '../../components/table.tsx';
import type { Hit } from './drawing/hit.ts';
import type { MapLayer } from './layer.ts';

export function LayerList({
  layer,
  title,
  onShow,
}: {
  readonly layer: MapLayer;
  readonly title: string;
  readonly onShow: (hit: Hit) => void;
}) {
  // Words are made for the rows that are shown alone: there may be thousands.
  const points = useMemo(() => [...layer.xs.keys()], [layer]);
  return (
    <Table
      caption={title}
      narrow="lines"
      page={25}
      rows={points}
      keyOf={String}
      columns={[
        ...layer.headings.map((heading, at) => ({
          ...heading,
          cell: (point: number) => layer.factsOf(point).cells[at],
        })),
        {
          title: 'On the map',
          kind: 'actions' as const,
          inLines: 'beside the name' as const,
          cell: (point: number) => (
            <button
              type="button"
              class="button plain small"
              aria-label={`Show ${layer.factsOf(point).title} on the map`}
              onClick={() => onShow({ layer: layer.id, point })}
            >
              Show
            </button>
          ),
        },
      ]}
    />
  );
}
