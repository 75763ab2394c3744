// A layer as a list: the same points in words, each with a button that shows it on the map.

import { Table } from '../../components/table.tsx';
import type { Hit } from './drawing/map-view.ts';
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
  const rows = Array.from(layer.xs, (_, point) => ({ point, facts: layer.factsOf(point) }));
  return (
    <Table
      caption={title}
      page={25}
      rows={rows}
      keyOf={({ point }) => String(point)}
      columns={[
        ...layer.headings.map((heading, at) => ({
          title: heading,
          kind: at === 0 ? ('name' as const) : ('text' as const),
          cell: ({ facts }: (typeof rows)[number]) => facts.cells[at],
        })),
        {
          title: 'On the map',
          kind: 'actions' as const,
          cell: ({ point, facts }) => (
            <button
              type="button"
              class="button plain small"
              aria-label={`Show ${facts.title} on the map`}
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
