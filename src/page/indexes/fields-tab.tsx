/** The fields of the documents, and the share of the documents that have them. */
import { Empty, Loading } from "../parts/feedback.tsx";
import { countText } from "../parts/format.ts";
import { type Column, Table } from "../parts/table.tsx";
import { indexesProblem, stats } from "../state/indexes.ts";

const COLUMNS: readonly Column[] = [
  { title: "Field" },
  { title: "Documents", kind: "number" },
  { title: "Share", kind: "share" },
];

export function FieldsTab({ uid }: { uid: string }) {
  const numbers = stats.value?.indexes[uid];
  if (numbers === undefined) {
    if (stats.value === null && indexesProblem.value === null) return <Loading what="fields" />;
    return <p>The key may not see the statistics of this index (it needs the action stats.get).</p>;
  }
  const fields = Object.entries(numbers.fieldDistribution).sort(([, a], [, b]) => b - a);
  if (fields.length === 0) {
    return (
      <Empty title="No fields yet">
        <p>Fields come with documents.</p>
      </Empty>
    );
  }
  return (
    <Table columns={COLUMNS}>
      {fields.map(([name, count]) => (
        <tr key={name}>
          <td>{name}</td>
          <td class="number">{countText(count)}</td>
          <td>
            <meter
              min={0}
              max={numbers.numberOfDocuments}
              value={count}
              aria-label={`Share of documents with ${name}`}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}
