/** What is searched in an index: day by day, most often, in vain, slowly; and what is opened. */
import type { ComponentChild } from "preact";
import { Chart } from "../parts/chart.tsx";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { countText } from "../parts/format.ts";
import { useAnswer } from "../state/use-answer.ts";
import { analyticsPath } from "./state.ts";

type Row = Record<string, string | number | null>;

interface Column {
  title: string;
  of: string;
  show?: (value: number) => string;
}

const ms = (value: number): string => `${value.toPrecision(3)} ms`;
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const QUERY: Column = { title: "Query", of: "query" };
const COUNT: Column = { title: "Times", of: "count", show: countText };

const LISTS: readonly { what: string; title: string; columns: readonly Column[] }[] = [
  {
    what: "queries",
    title: "Searched most",
    columns: [QUERY, COUNT, { title: "Opened", of: "clickThroughRate", show: percent }],
  },
  { what: "no-hits", title: "Found nothing", columns: [QUERY, COUNT] },
  { what: "slow", title: "Slowest", columns: [QUERY, { title: "Longest", of: "slowestTimeMs", show: ms }] },
  { what: "clicks", title: "Opened most", columns: [QUERY, { title: "Document", of: "documentId" }, COUNT] },
];

export function InsightTab({ uid }: { uid: string }) {
  const { answer, problem } = useAnswer<{ results: Row[] }>(analyticsPath(uid, "days"));
  if (answer.value === null) {
    return problem.value === null ? <Loading what="insight" /> : <Problem problem={problem.value} />;
  }
  const days = answer.value.results.toReversed();
  if (days.length === 0) {
    return (
      <Empty title="Nothing was searched yet">
        <p>Searches of this index are counted from now on.</p>
      </Empty>
    );
  }
  const values = (of: string): number[] => days.map((day) => Number(day[of]));
  return (
    <>
      <div class="columns">
        <Chart title="Searches a day" values={values("searches")} show={countText} />
        <Chart title="Without hits" values={values("searchesWithoutHits")} show={countText} />
        <Chart title="Average time" values={values("averageTimeMs")} show={ms} />
        <Chart title="Hits opened" values={values("clicks")} show={countText} />
      </div>
      {LISTS.map(({ what, title, columns }) => (
        <section key={what} class="card" aria-label={title}>
          <h2>{title}</h2>
          <Rows path={analyticsPath(uid, what)} columns={columns} />
        </section>
      ))}
    </>
  );
}

function Rows({ path, columns }: { path: string; columns: readonly Column[] }) {
  const { answer, problem } = useAnswer<{ results: Row[] }>(path);
  if (answer.value === null) {
    return problem.value === null ? <Loading what="rows" /> : <Problem problem={problem.value} />;
  }
  const rows = answer.value.results;
  if (rows.length === 0) return <p class="quiet">None.</p>;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {columns.map(({ title, show }) => (
              <th key={title} class={show && "number"}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={JSON.stringify(row)}>
              {columns.map(({ of, show }) => (
                <td key={of} class={show && "number"}>
                  {cell(row[of] ?? null, show)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cell(value: string | number | null, show: Column["show"]): ComponentChild {
  if (typeof value === "number" && show !== undefined) return show(value);
  return value === "" ? <span class="quiet">(empty)</span> : value;
}
